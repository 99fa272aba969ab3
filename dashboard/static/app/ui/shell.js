/** What stands around every page: header, language, footer. */
import { html, useEffect, useRef } from "../html.js";
import { locale, setLocale, t } from "../i18n.js";
import { address, current } from "../router.js";
import { me } from "../me.js";
import { Segments } from "./field.js";

const LINKS = [
  { to: "/play", key: "nav.play", names: ["setup", "table"] },
  { to: "/leaderboard", key: "nav.leaderboard", names: ["leaderboard"] },
  { to: "/me", key: "nav.me", names: ["me", "debrief"] },
  { to: "/rooms", key: "nav.rooms", names: ["rooms", "room", "join", "watch"] },
  { to: "/lab", key: "nav.lab", names: ["lab"] },
];

export const Mark = () => html`
  <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path d="M16 3.5 27.5 16 16 28.500 4.500 16Z" fill="none" stroke="#d9b25f" stroke-width="1.6" />
    <path d="M16 10 21.500 16 16 22 10.500 16Z" fill="#d9b25f" />
  </svg>
`;

const Links = () => {
  const name = current.value?.route.name ?? "";
  return LINKS.map(
    ({ to, key, names }) =>
      html`<a href=${to} aria-current=${names.includes(name) ? "page" : undefined}>${t(key)}</a>`,
  );
};

const Language = () => html`
  <${Segments}
    legend=${t("nav.language")}
    name="locale"
    value=${locale.value}
    onChange=${setLocale}
    options=${[
      { value: "en", label: "EN", title: "English", lang: "en" },
      { value: "zh", label: "中文", title: "中文", lang: "zh-CN" },
    ]}
  />
`;

/** The links where there is no room for them in a row. It closes when one is followed, and by Escape. */
function Menu() {
  const menu = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  const path = address.value.path;
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [path]);
  return html`
    <details
      class="menu"
      ref=${menu}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape" && menu.current) {
          menu.current.open = false;
          menu.current.querySelector("summary")?.focus();
        }
      }}
    >
      <summary aria-label=${t("nav.menu")}>
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path d="M4 7h16M4 12h16M4 17h16" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
        </svg>
      </summary>
      <nav aria-label=${t("nav.label")}><${Links} /></nav>
    </details>
  `;
}

const Header = () => html`
  <header class="header">
    <div class="header__inner">
      <a class="brand" href="/"><${Mark} />Parlay</a>
      <nav class="nav" aria-label=${t("nav.label")}><${Links} /></nav>
      <div class="header__side">
        ${me.value?.player && html`<a class="header__name" href="/me"><bdi>${me.value.player.name}</bdi></a>`}
        <${Language} />
        <${Menu} />
      </div>
    </div>
  </header>
`;

const Footer = () => html`
  <footer class="footer">
    <div class="footer__inner">
      <p>${t("footer.stored")}</p>
      <p class="buttons"><a href="/me">${t("footer.mine")}</a><a href="/agents">${t("footer.agents")}</a></p>
    </div>
  </footer>
`;

/**
 * @param {{children: any, bare?: boolean}} props `bare`: a page that fills the screen by itself
 */
export const Shell = ({ children, bare = false }) => html`
  <a
    class="skip"
    href="#main"
    onClick=${(/** @type {Event} */ event) => {
      event.preventDefault();
      document.getElementById("main")?.focus();
    }}
    >${t("nav.skip")}</a
  >
  <${Header} />
  <main class="main" id="main" tabindex="-1">${children}</main>
  ${!bare && html`<${Footer} />`}
`;
