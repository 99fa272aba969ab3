/**
 * The headlines of people's games in Chinese, by their English words, which are all that the server knows.
 * They say as much as the English ones do, and no more: 略 and 小幅 for "a little" and "modestly", 明显 for "clearly" and
 * "noticeably", 大幅 and its like for "sharply".
 * @type {Record<string, string>}
 */
export const headlines = {
  // The market: rate_rise
  "Central bank lifts rates by a full point; borrowing to buy becomes sharply dearer":
    "央行加息整整一个百分点，举债购买的成本大幅上升",
  "Surprise rate rise: corporate credit costs jump, and cash in hand is valued a little more":
    "意外加息：企业信贷成本骤升，手头现金略受看重",
  "Lenders raise business loan rates steeply after today's central bank decision, squeezing buyers' budgets":
    "央行今日决议后，银行大幅上调企业贷款利率，买方预算吃紧",
  "Money market: financing any larger purchase now costs far more, sellers grow slightly keener on cash":
    "货币市场：凡大额购买，融资成本如今都高出许多；卖方对现金的渴求略增",
  // credit_easing
  "Central bank cuts rates by a full point; buyers' financing costs fall sharply":
    "央行降息整整一个百分点，买方融资成本大幅下降",
  "Credit flows again: banks compete to fund corporate purchases at far lower interest":
    "信贷重新活跃：银行竞相以低得多的利率为企业购买提供资金",
  "Cheap loans return, and companies with spending plans find much more money available":
    "低息贷款重现，有支出计划的企业可用资金大为增加",
  "Rate cut: paying becomes far easier, and sellers feel slightly less need for quick cash":
    "降息：付款变得容易得多，卖方对快速回款的需求略减",
  // input_inflation
  "Inflation hits 6 %; costs of those who deliver jump sharply, budgets are raised a little":
    "通胀率升至 6%，交付一方成本大幅跳升，预算略有上调",
  "Wages, rents and materials surge, and sellers everywhere say that old prices no longer cover costs":
    "工资、租金、材料齐涨，各地卖方纷纷表示原有价格已不够成本",
  "Price index: costs of supplying and living soar, buyers modestly lift what they set aside":
    "物价指数：供应与生活成本飙升，买方小幅追加预留资金",
  "Fast-rising living and production costs hit the selling side hard, statistics office reports":
    "统计局：生活与生产成本快速上涨，卖方深受冲击",
  // downturn
  "Economy slips into recession; orders dry up and companies clearly cut what they spend":
    "经济陷入衰退，订单枯竭，企业明显削减开支",
  "Downturn confirmed: sellers lose other prospects and buyers trim their budgets":
    "下行得到证实：卖方失去其他机会，买方压缩预算",
  "Business confidence falls noticeably as demand weakens across all sectors":
    "各行业需求走弱，商业信心明显下滑",
  "Output shrinks for a second quarter, with fewer openings, fewer orders and tighter spending":
    "产出连续第二个季度萎缩，机会更少、订单更少、支出更紧",
  // boom
  "Economy grows at its fastest pace in years; order books fill and budgets expand":
    "经济增速创多年新高，订单饱满，预算扩张",
  "Boom confirmed: sellers choose between prospects while buyers have clearly more to spend":
    "景气得到证实：卖方有多个机会可选，买方可花的钱明显增多",
  "Business confidence climbs noticeably as demand strengthens across all sectors":
    "各行业需求走强，商业信心明显攀升",
  "Upswing gathers pace, with more openings, more orders and looser spending everywhere":
    "上升势头加快，各处机会更多、订单更多、支出更松",
  // capacity_shortage
  "Acute shortage across the sector; good sellers are booked out and can pick whom they serve":
    "全行业严重短缺，优质卖方档期已满，可以挑选为谁服务",
  "Scarcity report: quality supply and skilled people are almost impossible to find this season":
    "短缺报告：本季优质货源与熟练人才几乎无处可寻",
  "Capacity is nearly exhausted; sellers turn requests away, and buyers accept noticeably higher terms":
    "产能几近耗尽，卖方谢绝新的需求，买方接受明显更高的条件",
  "Those who can deliver are overwhelmed by enquiries, the sector's association says":
    "行业协会：有能力交付的一方已被各路问询淹没",
  // supply_glut
  "Oversupply across the sector; sellers stand idle and compete fiercely for every taker":
    "全行业供过于求，卖方闲置，为每一位主顾激烈竞争",
  "Glut report: a flood of newcomers leaves those selling with very few prospects":
    "过剩报告：新来者大量涌入，出售一方的机会所剩无几",
  "Far too many sellers for too few buyers, and asking terms collapse throughout the sector":
    "卖方太多、买方太少，全行业要价崩跌",
  "Massive overcapacity forces the selling side to grab what it can get, association says":
    "行业协会：产能严重过剩，卖方被迫有什么接什么",
  // budget_freeze
  "Finance chiefs of large companies order a sharp freeze on new spending commitments":
    "各大企业财务主管下令严格冻结新的支出承诺",
  "Cost-cutting round: paying departments must get by with far smaller budgets from today":
    "新一轮降本：付款部门即日起须靠大幅缩水的预算度日",
  "Corporate buyers face drastic spending caps under new group-wide savings programmes":
    "集团推行新的节支计划，企业买方面临严厉的支出上限",
  "Head offices slash what may be paid for any new commitment, a survey of treasurers shows":
    "资金主管调查：总部大砍任何新承诺的可付金额",
  // buyer_grants
  "Government grants companies a generous tax credit on new contracts, hires and investments":
    "政府对企业新签合同、新聘人员和新增投资给予丰厚税收抵免",
  "Subsidy approved: the state refunds buyers a large part of what they newly commit":
    "补贴获批：买方新承诺的支出，国家返还一大部分",
  "Paying parties may deduct new commitments twice, parliament decides, a sharp relief for their budgets":
    "议会决定：付款方新增承诺可双倍抵扣，预算压力大幅减轻",
  "New investment bonus pours substantial public money into the pockets of those who buy":
    "新投资奖励把大笔公共资金送进购买一方的口袋",
  // provider_duties
  "New rules oblige the selling side to insure and certify its work at its own expense":
    "新规要求卖方自费为其工作投保并取得认证",
  "Regulation passed: those who get paid must bear clearly higher contributions and audit fees":
    "法规通过：收款方须承担明显更高的缴费和审计费用",
  "Levy on sellers' revenue comes into force and noticeably raises what they must earn":
    "卖方营收征费生效，明显抬高其必须挣到的数额",
  "Sellers face a new layer of compulsory charges, which buyers are spared":
    "卖方面临新一层强制收费，买方则无须承担",
  // provider_relief
  "Costs of the selling side fall sharply as contributions and energy charges are abolished":
    "缴费与能源收费取消，卖方成本大幅下降",
  "Relief for sellers: the state takes over most of their compulsory charges":
    "为卖方减负：国家承担其大部分强制收费",
  "Those who get paid keep far more of it after today's tax reform":
    "今日税改后，收款方到手的钱多出许多",
  "Operating and living expenses of sellers drop dramatically, while nothing changes for buyers":
    "卖方经营与生活开支大幅下降，买方则一切照旧",
  // contract_levy
  "Parliament approves a levy on every new contract, split evenly between both parties":
    "议会批准对每份新合同征费，由双方平摊",
  "New stamp duty: whoever pays and whoever gets paid each owe the state a noticeable share":
    "新印花税：付款方与收款方各须向国家缴纳不小的一份",
  "Signing becomes dearer for both sides as a transaction tax takes effect":
    "交易税生效，双方签约都更贵了",
  "Closing any agreement now costs buyer and seller a moderate fee each":
    "如今达成任何协议，买卖双方各须付一笔数额适中的费用",
  // red_tape_cut
  "Government abolishes filing fees on contracts, a small saving for both sides of any deal":
    "政府取消合同备案费，任何交易的双方都能省下一小笔",
  "Red tape cut: closing an agreement gets a little cheaper for whoever pays and whoever sells":
    "手续精简：无论付款方还是出售方，达成协议的花费都略有下降",
  "Simplified contract law spares both parties part of their legal costs":
    "合同法简化，双方各省去部分法律费用",
  "Paperwork for new agreements is halved, modestly easing the burden on sellers and buyers alike":
    "新协议文书工作减半，买卖双方负担均小幅减轻",
  // uncertainty
  "Election deadlock shakes markets; advisers urge sellers and buyers to lock in agreements now":
    "选举僵局震动市场，顾问敦促买卖双方立即敲定协议",
  "Volatility alarm: both sides of every table are told that a safe deal beats waiting":
    "波动警报：谈判桌两边都听到同样的劝告，稳妥成交胜过等待",
  "Political crisis makes the outlook murky, and each party clearly prizes certainty over price":
    "政治危机令前景不明，各方明显更看重确定性而非价格",
  "Unsettled times lead sellers and buyers alike to accept less favourable terms for security":
    "时局不稳，买卖双方为求稳妥都接受较差的条件",
  // no_hurry
  "Markets calm down; advisers tell sellers and buyers that better terms may come to those who wait":
    "市场趋于平静，顾问告诉买卖双方：愿意等待，或有更好条件",
  "Stability returns: neither side needs to rush, and both can clearly afford to be choosier":
    "稳定回归：双方都无须着急，都明显更有余地挑选",
  "Fresh options are expected for all parties next season, so patience pays for everyone":
    "下一季各方都有望迎来新选择，耐心对谁都有好处",
  "Quiet outlook lets both sides of every table hold out for noticeably better conditions":
    "前景平静，谈判桌两边都可坚持等待明显更好的条件",
  // strong_currency
  "Home currency soars; foreign alternatives become clearly cheaper for domestic buyers":
    "本币飙升，国外的替代选择对国内买方明显更便宜",
  "Exchange rates: buyers now get noticeably better value abroad, local sellers feel some pressure":
    "汇率：买方如今在境外购买明显更划算，本地卖方感到些许压力",
  "Currency hits a ten-year high, and looking overseas pays for those who purchase":
    "本币升至十年高点，购买一方放眼海外更合算",
  "Offers from abroad undercut domestic ones after the currency's rally":
    "本币上涨之后，境外报价低过国内报价",
  // energy_spike
  "Power and fuel prices leap; delivering costs clearly more, and buyers' margins suffer a little too":
    "电力与燃料价格跳涨，交付成本明显上升，买方利润也略受影响",
  "Energy shock: sellers carry the larger part of the bill, those who pay a smaller one":
    "能源冲击：账单大头由卖方承担，付款方承担小头",
  "Pipeline outage drives up energy costs noticeably for sellers and modestly for buyers":
    "管道中断推高能源成本，卖方明显上升，买方小幅上升",
  "Heating, transport and electricity become dearer, mostly for the side that delivers":
    "供暖、运输和电力涨价，主要落在交付一方",
  // record_benchmark
  "A comparable agreement closes at a record price, and buyers everywhere sharply revise what is normal":
    "一笔可比协议以创纪录价格成交，各地买方大幅修正对正常水平的看法",
  "Benchmark published: peers now pay far more than was thought, sellers feel modestly encouraged":
    "基准公布：同行如今所付远高于此前所想，卖方略受鼓舞",
  "Industry survey shows that most paying parties had badly underestimated the going rate":
    "行业调查显示，多数付款方此前严重低估了行情",
  "Much-watched deal in the sector sets a new high and resets buyers' expectations upward":
    "业内备受关注的一笔交易创下新高，买方预期随之上移",
  // low_benchmark
  "A comparable agreement closes at a shockingly low price, and sellers everywhere lower their sights":
    "一笔可比协议以低得惊人的价格成交，各地卖方降低期望",
  "Benchmark published: peers now sell for far less than was thought, buyers feel modestly encouraged":
    "基准公布：同行如今售价远低于此前所想，买方略受鼓舞",
  "Industry survey shows that most sellers had badly overestimated the going rate":
    "行业调查显示，多数卖方此前严重高估了行情",
  "Much-watched deal in the sector sets a new low and crushes sellers' expectations":
    "业内备受关注的一笔交易创下新低，卖方预期遭受重挫",

  // The scenarios: acquisition_term_sheet
  "Due diligence report lists years of postponed code maintenance in the target's core product":
    "尽职调查报告列明：目标公司核心产品的代码维护已拖延多年",
  "Data room update: technical review finds substantial technical debt in the analytics engine":
    "资料室更新：技术审查发现分析引擎存在大量技术债",
  "Auditors flag ageing architecture at the target and advise a costly rebuild of key modules":
    "审计人员指出目标公司架构老化，建议耗资重建关键模块",
  "Joint memo: the code audit is finished, and the backlog of repairs is longer than expected":
    "联合备忘录：代码审计已完成，积压的待修问题比预期更多",
  "A second acquirer has approached the analytics company, people close to the matter say":
    "知情人士：第二家收购方已接触这家分析公司",
  "Deal wire: another strategic bidder signals interest in the same target":
    "并购快讯：又一家战略竞购方对同一目标表示兴趣",
  "Rival group confirms that it is preparing an indicative offer for the company":
    "竞争集团证实，正在为该公司准备意向性报价",
  "Market rumour becomes fact: a competing buyer has asked for access to the data room":
    "市场传闻成真：一家竞争买家已申请进入资料室",
  // hiring_package
  "Note to both sides: another company has put a written offer to the candidate":
    "告知双方：另一家公司已向候选人发出书面录用邀约",
  "Recruiter confirms that a competing offer for the same engineer arrived this morning":
    "招聘顾问证实，今早又有一份录用邀约送达，争夺同一位工程师",
  "A rival employer has made the candidate a formal offer, the agency reports":
    "中介机构称，一家竞争雇主已向候选人发出正式录用邀约",
  "Update from the recruiter: a second firm wants this hire and has said so in writing":
    "招聘顾问最新消息：第二家公司也想聘用此人，并已书面表明",
  // saas_enterprise
  "Rival workflow vendor cuts list prices 15 % across its enterprise range, effective immediately":
    "竞争对手工作流厂商将企业版全系列标价下调 15%，即刻生效",
  "Price war in enterprise software: a leading competitor drops subscription rates by 15 %":
    "企业软件价格战：一家领先的竞争对手将订阅费率下调 15%",
  "Industry wire: competing platform announces a 15 % price reduction for new corporate customers":
    "行业快讯：竞争平台宣布对新企业客户降价 15%",
  "Challenger in the workflow market slashes its enterprise tariff by 15 % to win share":
    "工作流市场挑战者为抢份额，企业版资费猛降 15%",
  "Market note to both teams: a comparable suite now lists 15 % below last month's price":
    "致双方团队的市场提示：一款可比套件现标价比上月低 15%",
  "Software vendors enter the last days of the quarter; competing promotional quotes expire tonight":
    "软件厂商进入季度最后几天，竞争对手的促销报价今晚到期",
  "Quarter-end is here: books close this week and seasonal offers across the sector are withdrawn":
    "季末已到：本周关账，业内季节性优惠一并撤回",
  "Sales teams across the industry race to book deals as the fiscal quarter closes":
    "财季收官，全行业销售团队抢签订单",
  "Calendar reminder to all parties: the quarter ends Friday, and time-limited market quotes end with it":
    "日程提醒各方：本季度周五结束，市场上的限时报价随之截止",
};
