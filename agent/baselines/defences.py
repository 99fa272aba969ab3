"""Every exploit that the environment defends against, and how anybody can see that it does: the baselines that try it,
and the tests that show what holds against it. `tests/agent/test_exploits.py` holds this table to its word."""

from __future__ import annotations

import msgspec


class Defence(msgspec.Struct, frozen=True):
    """An exploit, who plays it, and what defends against it."""

    exploit: str
    holds: str
    """What makes it worthless."""
    agents: tuple[str, ...] = ()
    """Baselines that play it; none where no agent can: then it is impossible by construction."""
    tests: tuple[str, ...] = ()
    """`path::name` of tests that would fail if it paid."""


_CORE, _DOORS, _AGENT, _CLIENTS = "tests/parlay_env", "tests/doors", "tests/agent", "tests/clients"

DEFENCES = (
    Defence(
        "reading a bound off any field, reward, error or delay",
        "what a player is shown, paid and refused depends on the public history and its own facts, and nobody waits",
        tests=(
            f"{_CORE}/test_noninterference.py::test_what_a_player_and_a_trainer_see_does_not_depend_on_anything_hidden",
            f"{_CORE}/test_noninterference.py::test_what_is_paid_before_the_end_does_not_depend_on_anything_hidden",
            f"{_CORE}/test_noninterference.py::test_whether_a_move_is_allowed_and_why_not_does_not_depend_on_anything_hidden",
            f"{_CORE}/test_exploits.py::test_probing_with_offers_shows_nothing_of_the_others_limit_unless_it_accepts",
            f"{_DOORS}/test_noninterference.py::test_a_door_answers_alike_whatever_is_hidden",
        ),
    ),
    Defence(
        "triangulating a limit by beliefs and rewards",
        "whatever depends on hidden facts is booked by turn and paid with the end",
        ("belief_wiggle",),
        (
            f"{_CORE}/test_exploits.py::test_two_reports_can_not_triangulate_a_limit_from_what_is_paid_before_the_end",
            f"{_CORE}/test_noninterference.py::test_with_end_booking_two_beliefs_are_paid_alike_until_the_end",
            f"{_AGENT}/test_exploits.py::test_a_belief_that_wiggles_earns_less_than_none",
        ),
    ),
    Defence(
        "recovering a seed from what is seen",
        "hidden and visible draws have keys of their own, derived one-way; what is seen is rounded",
        tests=(
            f"{_CORE}/test_rng.py::test_no_key_gives_another_nor_the_seed",
            f"{_CORE}/test_noninterference.py::test_no_view_before_the_end_holds_a_seed_or_a_key",
            f"{_CORE}/test_noninterference.py::test_nothing_visible_is_drawn_with_the_key_of_a_fact",
        ),
    ),
    Defence(
        "replaying a seed",
        "drawn seeds are told with the end and mixed with the server's secret; test tasks have opaque ids",
        tests=(
            f"{_DOORS}/test_plain_socket.py::test_a_servers_secret_keeps_drawn_seeds_its_own_and_leaves_given_ones_alone",
            f"{_DOORS}/test_tasks.py::test_a_test_instance_cannot_be_had_by_its_seed",
            f"{_DOORS}/test_tasks.py::test_no_seed_of_the_test_split_leaves_the_server",
        ),
    ),
    Defence(
        "forging or probing through `history`",
        "a history has the learner's moves only; the opponent's are computed anew, and its errors tell nothing hidden",
        tests=(
            f"{_DOORS}/test_history.py::test_an_episode_goes_on_from_any_prefix_as_it_did_live",
            f"{_DOORS}/test_history.py::test_the_rewards_of_the_prefix_are_not_paid_again",
            f"{_DOORS}/test_noninterference.py::test_what_an_error_of_history_says_depends_on_nothing_hidden",
        ),
    ),
    Defence(
        "inverting an initial belief",
        "only the change of belief skill is paid, from 0 on: a bad first report costs what mending it earns",
        ("belief_invert", "sharp_prior"),
        (
            f"{_CORE}/test_exploits.py::test_a_bad_belief_first_makes_the_good_one_after_it_no_dearer",
            f"{_AGENT}/test_exploits.py::test_inverting_a_belief_and_mending_it_earns_nothing",
            f"{_AGENT}/test_exploits.py::test_what_the_own_limit_tells_of_the_others_earns_nothing_in_the_mean",
        ),
    ),
    Defence(
        "agreeing with oneself, accepting one's own offer",
        "a deal takes the other seat's standing offer; its terms echoed back are terms that the other chose",
        ("own_acceptor", "echo_offers"),
        (
            f"{_CORE}/test_rules_moves.py::test_nobody_can_accept_an_offer_of_its_own",
            f"{_CORE}/test_rules_moves.py::test_accepting_with_nothing_standing_is_answered_in_band",
            f"{_AGENT}/test_exploits.py::test_every_attempt_at_what_is_not_allowed_loses",
            f"{_AGENT}/test_exploits.py::test_a_play_of_its_own_earns_far_less_than_an_honest_one",
        ),
    ),
    Defence(
        "escalating or oscillating offers",
        "an ask above an earlier one is noise; ground given twice, or from above the anchor, is no concession",
        ("escalator", "oscillator", "moon_anchor", "moon_opening", "salami"),
        (
            f"{_CORE}/test_exploits.py::test_oscillating_offers_lose",
            f"{_CORE}/test_exploits.py::test_escalating_offers_lose_and_count_as_no_concession_when_they_come_down_again",
            f"{_CORE}/test_exploits.py::test_opening_from_the_moon_buys_no_concessions",
            f"{_CORE}/test_exploits.py::test_giving_the_same_ground_twice_is_no_concession",
            f"{_AGENT}/test_exploits.py::test_other_offers_than_the_chassis_makes_earn_no_more_than_its_own",
        ),
    ),
    Defence(
        "infinite, NaN, negative or huge figures",
        "figures that the game can't use are refused in band, before they reach it",
        ("invalid_probe",),
        (
            f"{_CORE}/test_exploits.py::test_figures_that_the_game_can_not_use_are_refused_in_band",
            f"{_CORE}/test_exploits.py::test_beliefs_claims_and_estimates_must_be_figures_that_can_be",
            f"{_CORE}/test_exploits.py::test_no_wild_figure_of_a_policy_in_the_same_process_makes_a_reward_that_is_no_number",
            f"{_DOORS}/test_http.py::test_a_huge_figure_reaches_the_game_through_a_tool_too",
        ),
    ),
    Defence(
        'claiming and then "catching" one\'s own bluff',
        "nobody can challenge a claim of its own, and being caught by the other costs",
        ("self_catcher", "bluff_spam"),
        (
            f"{_CORE}/test_exploits.py::test_claiming_and_then_catching_ones_own_bluff_is_impossible_and_being_caught_costs",
            f"{_CORE}/test_rules_claims.py::test_nobody_can_challenge_a_claim_of_its_own",
            f"{_AGENT}/test_exploits.py::test_every_attempt_at_what_is_not_allowed_loses",
        ),
    ),
    Defence(
        "challenging only the provable",
        "a challenge pays 1 − q, q the known share of bluffs; a claim that acts have refuted can't be challenged any "
        "more, and the first two count",
        ("challenge_provable", "challenge_everything", "challenge_odds"),
        (
            f"{_CORE}/test_grader_late.py::test_challenging_blindly_earns_nothing_in_the_mean",
            f"{_CORE}/test_grader_late.py::test_only_the_first_two_challenges_count",
            f"{_CORE}/test_rules_claims.py::test_a_claim_that_its_maker_then_acts_against_is_marked_broken_for_all_to_see",
            f"{_CORE}/test_rules_claims.py::test_a_deadline_that_its_maker_is_still_at_the_table_after_is_broken_and_disputed_no_more",
            f"{_AGENT}/test_bluffs.py::test_a_bluffed_limit_is_not_refuted_by_an_offer_that_was_made_before_or_with_it",
            f"{_AGENT}/test_bluffs.py::test_no_figure_of_a_claimed_deadline_tells_for_sure_that_it_is_true",
            f"{_AGENT}/test_exploits.py::test_challenges_earn_next_to_nothing_however_they_are_chosen",
        ),
    ),
    Defence(
        "repeating a challenge",
        "a claim can be challenged once; trying again is refused and fined",
        ("repeat_challenge",),
        (
            f"{_CORE}/test_exploits.py::test_a_challenge_can_not_be_repeated_until_it_succeeds",
            f"{_CORE}/test_rules_claims.py::test_a_claim_can_be_challenged_once",
            f"{_AGENT}/test_exploits.py::test_every_attempt_at_what_is_not_allowed_loses",
        ),
    ),
    Defence(
        "stalling for per-turn pay",
        "what a turn pays is a change, and sums to nothing over an episode without a deal",
        ("staller", "deadline_sniper", "salami"),
        (
            f"{_CORE}/test_exploits.py::test_stalling_earns_nothing",
            f"{_CORE}/test_grader_sums.py::test_delta_v_sums_to_nothing_exactly",
            f"{_CORE}/test_grader_late.py::test_only_the_change_is_paid_a_field_left_out_keeps_its_value_and_waiting_earns_nothing",
            f"{_AGENT}/test_exploits.py::test_stalling_and_abstaining_earn_nothing",
        ),
    ),
    Defence(
        "waiting for a shock",
        "without a shock adaptation is paid in full; a headline voids offers and starts nothing for free",
        ("wait_for_shock", "news_reset", "event_spam"),
        (
            f"{_CORE}/test_exploits.py::test_waiting_for_a_shock_earns_nothing_that_a_deal_before_it_would_not",
            f"{_CORE}/test_grader_late.py::test_estimates_without_an_event_or_after_a_scheduled_headline_earn_nothing",
            f"{_AGENT}/test_exploits.py::test_waiting_for_headlines_and_starting_anew_after_them_loses",
            f"{_AGENT}/test_exploits.py::test_one_estimate_for_every_event_earns_nothing_in_the_mean",
        ),
    ),
    Defence(
        "keyword phrases for event, bluff or coherence pay",
        "text is not read: it never earns by what it contains",
        ("keyword_spam", "echo_opponent"),
        (
            f"{_CORE}/test_exploits.py::test_words_earn_nothing_by_what_they_contain",
            f"{_AGENT}/test_baselines.py::test_words_alone_earn_exactly_what_the_same_moves_earn_without_them",
        ),
    ),
    Defence(
        "empty words",
        "words without content are worth no more than any others, and blank ones are none",
        ("empty_words", "no_words"),
        (
            f"{_CORE}/test_rules_cards.py::test_an_offer_a_claim_or_an_answer_without_words_is_curt",
            f"{_CORE}/test_grader_near.py::test_ones_own_words_again_are_noise_and_others_are_not",
            f"{_CORE}/test_observe.py::test_blank_words_are_no_words",
            f"{_AGENT}/test_baselines.py::test_words_alone_earn_exactly_what_the_same_moves_earn_without_them",
            f"{_AGENT}/test_baselines.py::test_saying_nothing_changes_no_move_and_pays_for_curtness_alone",
        ),
    ),
    Defence(
        "pasting figures",
        "figures in the words are checked against the offer and bind nobody",
        ("paste_figures",),
        (
            f"{_CORE}/test_grader_near.py::test_words_that_name_amounts_in_the_range_none_of_which_is_the_offer_are_noise",
            f"{_AGENT}/test_baselines.py::test_words_alone_earn_exactly_what_the_same_moves_earn_without_them",
        ),
    ),
    Defence(
        "dodging the cliff by abstaining, disconnecting or resetting",
        "without a deal there is nothing but the pay for none; an episode left unfinished counts half the cliff",
        ("abstainer", "walk_at_once"),
        (
            f"{_CORE}/test_exploits.py::test_leaving_before_a_bad_end_does_not_pay_better_than_any_end_inside_the_limit",
            f"{_CLIENTS}/test_tools.py::test_an_episode_that_did_not_end_counts_half_the_cliff",
            f"{_DOORS}/test_two_clients.py::test_who_leaves_walks_away_and_the_other_has_its_answer",
            f"{_DOORS}/test_two_clients.py::test_who_resets_has_left_the_game_before",
            f"{_AGENT}/test_exploits.py::test_stalling_and_abstaining_earn_nothing",
        ),
    ),
    Defence(
        "closing instantly at the floor",
        "speed and adaptation are shares of E: worth nothing on a bad deal",
        ("floor_closer", "instant_accept", "ultimatum"),
        (
            f"{_CORE}/test_exploits.py::test_closing_at_once_at_the_floor_earns_next_to_nothing",
            f"{_CORE}/test_grader_end.py::test_speed_is_a_share_of_e",
            f"{_AGENT}/test_exploits.py::test_closing_at_the_floor_earns_next_to_nothing",
            f"{_AGENT}/test_exploits.py::test_a_play_of_its_own_earns_far_less_than_an_honest_one",
        ),
    ),
    Defence(
        "solving a documented opponent from its first offers",
        "opening, pace, reciprocity and reserve are drawn for every episode, with noise on every step; no opening "
        "comes from a limit",
        ("solver", "ultimatum"),
        (
            f"{_AGENT}/test_personas.py::test_its_opening_tells_nothing_of_its_limit",
            f"{_AGENT}/test_exploits.py::test_a_limit_solved_from_the_first_offers_is_further_off_than_the_prior",
            f"{_AGENT}/test_exploits.py::test_other_offers_than_the_chassis_makes_earn_no_more_than_its_own",
        ),
    ),
    Defence(
        "cards or silence as a free concession pump",
        "cards cost points, halve with every use and have bounded effects; a silence gives up one's own turn",
        ("card_spam", "silence_pump", "sweetener_flood", "question_flood", "bluff_spam", "magpie"),
        (
            f"{_CORE}/test_exploits.py::test_a_card_can_not_be_pumped",
            f"{_CORE}/test_exploits.py::test_a_silent_player_concedes_nothing_and_gains_no_trust",
            f"{_CORE}/test_exploits.py::test_each_sweetener_costs_what_it_costs_however_many_were_thrown_in",
            f"{_AGENT}/test_card_effects.py::test_a_second_use_moves_it_less_than_the_first",
            f"{_AGENT}/test_exploits.py::test_cards_are_worth_a_little_and_no_pump",
        ),
    ),
    Defence(
        "memorising a default seed, headline or turn",
        "seeds are drawn, splits share neither seeds nor headlines, and the turn of a scheduled headline is drawn",
        ("headline_memory",),
        (
            f"{_DOORS}/test_plain_socket.py::test_drawn_seeds_differ",
            f"{_DOORS}/test_tasks.py::test_the_splits_draw_their_seeds_from_disjoint_ranges",
            f"{_CORE}/test_headlines.py::test_splits_share_no_headline",
            f"{_CORE}/test_headlines.py::test_scheduled_headlines_break_about_their_turn_four_times_of_five",
            f"{_AGENT}/test_exploits.py::test_headlines_known_by_heart_are_worth_nothing_on_another_split",
        ),
    ),
    Defence(
        "two bounds moved by one noise",
        "what an event does to the two limits is two draws, each times its own seat's sensitivity",
        tests=(
            f"{_CORE}/test_headlines.py::test_an_event_moves_both_limits_by_independent_draws_around_its_kinds_means",
            f"{_CORE}/test_instances.py::test_both_seats_facts_are_drawn_independently",
        ),
    ),
    Defence(
        "retrying invalid moves for free",
        "a refused move is fined and changes nothing else; the third in a row, or fines of 75, forfeit",
        ("invalid_probe", "own_acceptor", "repeat_challenge"),
        (
            f"{_CORE}/test_exploits.py::test_refused_moves_can_not_be_retried_for_free_nor_used_to_look_around",
            f"{_CORE}/test_grader_near.py::test_fines_of_an_episode_have_a_bound_and_reaching_it_forfeits",
            f"{_AGENT}/test_exploits.py::test_every_attempt_at_what_is_not_allowed_loses",
            f"{_AGENT}/test_exploits.py::test_probing_with_refused_moves_costs_their_fines_and_changes_nothing_else",
        ),
    ),
    Defence(
        "a client switching global state",
        "a session's options are its own; no state is shared between sessions",
        tests=(
            f"{_DOORS}/test_plain_socket.py::test_sessions_of_a_socket_do_not_touch_each_other",
            f"{_DOORS}/test_plain_socket.py::test_many_clients_at_once_play_the_same_episodes_as_one",
            f"{_CORE}/test_words_and_heat.py::test_what_one_session_does_with_its_observation_changes_no_other",
        ),
    ),
    Defence(
        "a batch graded with another row's scenario",
        "a row's options choose its episode, and its reward is what the door paid for that one",
        tests=(
            f"{_CLIENTS}/test_tools.py::test_a_row_chooses_the_episode_and_its_other_columns_are_left_alone",
            f"{_CLIENTS}/test_tools.py::test_one_instance_serves_one_row_after_the_other_as_a_fresh_one_would",
            f"{_CLIENTS}/test_tools.py::test_the_reward_is_what_the_door_paid",
        ),
    ),
    Defence(
        "an opponent's error counted as a win",
        "an opponent that fails has played nothing; one that leaves or forfeits pays 0",
        tests=(
            f"{_DOORS}/test_session.py::test_when_the_opponent_fails_nothing_was_played",
            f"{_CORE}/test_grader_end.py::test_the_opponents_walk_away_pays_nothing",
            f"{_CORE}/test_rules_moves.py::test_the_other_seats_refused_moves_do_not_count_for_ones_own_forfeit",
        ),
    ),
)
"""In the order of the specification's list."""
