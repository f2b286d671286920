"""What the user earns, pays, owes and saves, and with whom."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AMOUNT, END, NAME, PHRASE, WE_ARE

_EVERY = (
    r"(?:\s?(?:/|an?|per|each|every)\s?(?:hour|day|week|month|year|annum|mo|yr|hr)|\s(?:monthly|weekly|"
    r"annually|yearly))"
)
_UNIT = r"(?:\s(?:dollars|euros?|pounds|bucks|francs|rupees|usd|eur|gbp|k|grand|thousand))"
_SUM = rf"{AMOUNT}{_UNIT}?{_EVERY}?"

MONEY: Final[tuple[Rule, ...]] = (
    rule(
        "pays_regularly",
        rf"(?:my|our) (?P<what>(?:monthly |annual |yearly |base |take-home |gross |net |weekly |daily |"
        rf"current |total )*(?:salary|income|pay|wage|rent|mortgage(?: payment)?|car payment|train fare|bus "
        rf"fare|commute cost|tuition|(?:grocery |food |household |travel |wedding )budget|electric(?:ity)? "
        rf"bill|phone bill|health insurance|savings goal|hourly rate|day rate|allowance|pension|net worth|"
        rf"credit score|student loans?|credit card debt|household income))\s(?:is|are)(?: actually| "
        rf"currently| now| only)?\s(?P<sum>{_SUM})(?=\s*(?:[,.;!)](?!\d)|$)|\s(?:and|but|so|before|after|"
        rf"which|plus|including|for|with|because|at)\b)",
        "{what} is {sum}.",
        slot="money.{what}",
        exclusive=True,
        example=("My daily train fare is actually $6.", "Daily train fare is $6."),
        counter="Is my rent 1200 too much?",
    ),
    rule(
        "budget",
        rf"(?:my|our) (?:(?:max(?:imum)?|total|overall) )?budget(?: for\s(?P<of>(?:an?|the|my|our)\s[\w "
        rf"-]{{2,30}}?))?(?:'s|\s(?:is|would "
        rf"be))(?: actually| only| about| around| up to| "
        rf"max(?:imum)?)*\s(?P<sum>[$\u20ac\u00a3]?\d[\d.,]*k?(?<![.,]){_UNIT}?"
        rf"{_EVERY}?(?: max(?:imum)?)?)(?P<more>(?:\sfor\s(?!it\b|this\b|that\b){PHRASE})?)(?=\s*(?:[,.;!)](?!\d)|$)|"
        rf"\s(?:and|but|so|because)\b)",
        "Budget {of} is {sum} {more}.",
        slot="money.budget",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.75,
        example=("My budget is 500 euros.", "Budget is 500 euros."),
        counter="My budget is 5 times yours.",
    ),
    rule(
        "earns",
        rf"(?:i|we){ADVERB} (?P<verb>earn|make|pay)\s(?P<what>{AMOUNT}{_UNIT}?(?:{_EVERY}|\s(?:in|"
        rf"for)\s(?:rent|tax|taxes|child support|alimony|daycare|childcare|tuition|"
        rf"insurance)){{1,2}})(?=[\s,.;!)]|$)",
        "{verb} {what}.",
        slot="money.{verb}",
        exclusive=True,
        example=("I earn 4000 euros a month.", "Earns 4000 euros a month."),
        counter="I make 3 cups a day.",
        refuse=r".*\b(?:cups?|times|mistakes)\b",
    ),
    rule(
        "owes",
        rf"(?:i|we){ADVERB} (?P<verb>have|owe)\s(?P<what>{_SUM}(?:\sof|\son|\sin)\s(?:my\s|our\s|the\s|"
        rf"a\s)?(?:\w+\s){{0,2}}?(?:debt|loans?|savings|student loans?|student debt|mortgage|credit cards?|"
        rf"car|house|retirement|401k|ira|isa|bank))(?=[\s,.;!)]|$)",
        "{verb} {what}.",
        slot="money.{verb}",
        exclusive=True,
        example=("I have 20k in student loans.", "Has 20k in student loans."),
        counter="I have 20k lines of code.",
    ),
    rule(
        "invests",
        rf"i(?:'ve| have)?{ADVERB} (?P<did>invest|invested|been investing) "
        rf"in\s(?P<what>(?:[\w&]+\s){{0,2}}?(?:funds?|stocks?|etfs?|bonds?|real estate|crypto|"
        rf"cryptocurrenc\w+|bitcoin|property|gold|startups))\b",
        "Invests in {what}.",
        slot="money.invests.{what}",
        example=("I invest in index funds.", "Invests in index funds."),
        counter="I invest in it.",
    ),
    rule(
        "is_with",
        rf"(?:my|our) (?P<of>bank|internet provider|phone provider|isp|insurer|insurance(?: company| "
        rf"provider)?|carrier|mobile carrier|airline|gym|pharmacy|supermarket|grocery store|school|"
        rf"university|employer|company|church|home airport|alma mater)(?:'s| is| is called|'s "
        rf"called)\s(?P<product>{NAME}){END}",
        "{of} is {product}.",
        slot="with.{of}",
        exclusive=True,
        refuse=r"(?:I|OK|Okay|Not|Christmas|Friday|Monday)\b",
        example=("My internet provider is Comcast.", "Internet provider is Comcast."),
        counter="My bank is closed.",
    ),
    rule(
        "banks_with",
        rf"i{ADVERB} bank (?:with|at)\s(?P<org>{NAME}){END}",
        "Banks with {org}.",
        slot="with.bank",
        relation="banks_with",
        example=("I bank with Chase.", "Banks with Chase."),
        counter="I bank on it.",
    ),
    rule(
        "saving_for",
        rf"{WE_ARE}{ADVERB} (?:saving(?: up)?|putting money aside) (?:for|to)\s(?P<what>(?:an?|my|our|buy|"
        rf"the)\s{PHRASE})",
        "Is saving for {what}.",
        slot="goal.saving",
        time_to_live=TimeToLive.ONE_YEAR,
        refuse=r"the (?:sake|moment)\b",
        example=("I'm saving for a house.", "Is saving for a house."),
        counter="I'm saving for later.",
    ),
    rule(
        "charges",
        rf"i{ADVERB} charge (?:my clients )?(?P<sum>{_SUM})(?=[\s,.;!)]|$)",
        "Charges {sum}.",
        slot="money.charges",
        exclusive=True,
        example=("I charge $80 an hour.", "Charges $80 an hour."),
        counter="I charge my phone.",
    ),
)
