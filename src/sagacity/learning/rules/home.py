"""Where the user lives, has lived and comes from, in what, and with whom."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    END,
    HAVE_BEEN,
    NAME,
    PHRASE,
    PLACE,
    WE_ARE,
    WORD_FOR_TWO,
)

_NO_PLACE = (
    r"(?:downtown|area|my|our|a|an|it|this|that|these|those|there|here|with|your|fear|hope|pain|peace|plan|"
    r"step|page|option|section|chapter|google|settings|sales|marketing|engineering|accounting|purchasing|procurement|"
    r"logistics|payroll|support|finance|hr|operations|"
    r"legal|management|team|level|grade|class|plan|part|version|stage|phase|premium|business class|\w+days?|"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)\b(?!\s(?-i:[A-Z]))|"
    r"the\b(?-i:\s[a-z]))\b"
)
"""What is lived in or moved to and is no place: a department, a stage, a time."""
_NO_TOWN = (
    r"(?:[\w'-]+\s){0,2}(?:[\w'-]+s|\w+(?:ness|ment|tion|sion|ance|ence|ism|ship|ing)|fear|hope|peace|harmony|sin|"
    r"poverty|chaos|denial|squalor|pain|limbo|exile|silence|bed|shame|luxury|comfort|style|misery|debt|agony|hell|"
    r"heaven|paradise|terror|faith|love|poverty|dread|secret|private|public|filth|fleece|linen|denim|leather|lycra|"
    r"spandex|wool|cotton|black|white|colou?r|dark|light|sync|theory|"
    r"(?:constant|complete|total|pure|perpetual|utter|absolute|relative|mortal)\s\w+)\Z"
)
"""What is written small like a town of which no list knows: clothes, and how one fares. Plural words are no towns."""

HOME: Final[tuple[Rule, ...]] = (
    rule(
        "left_home",
        rf"(?:i|we){ADVERB} (?:no longer live|don't live|do not live) "
        rf"in\s(?P<place>{PLACE})(?:\sany\s?more)?|{WE_ARE}{ADVERB} (?:no longer|not) living "
        rf"in\s(?P<town>{PLACE})(?:\sany\s?more)?|(?:i|we)(?:'ve| have)?{ADVERB} moved (?:out of|away "
        rf"from)\s(?P<city>{PLACE})",
        "Does not live in {place}{town}{city}.",
        slot="location.home",
        negates=True,
        refuse=_NO_PLACE,
        confidence=0.9,
        example=("I no longer live in Boston.", "Does not live in Boston."),
        counter="I live in Boston no matter what.",
    ),
    rule(
        "lives_in",
        rf"(?:(?:i|we){ADVERB} live(?: \w+ly| with my \w+(?: and my \w+)?)?|i(?:'ve| have) lived|"
        rf"{WE_ARE}{ADVERB} (?:based|located|living)|{HAVE_BEEN} (?:living|based)|"
        rf"living)\s(?:(?:here\s)?in|out of)\s(?!the\s[\w ]{{2,30}}?\stime\b)(?P<place>{PLACE})",
        "Lives in {place}.",
        slot="location.home",
        exclusive=True,
        confidence=0.9,
        relation="lives_in",
        refuse=_NO_PLACE,
        example=("My name is Priya Sharma and I'm based in London.", "Lives in London."),
        counter="Do I live in Boston?",
    ),
    rule(
        "lives_in_lowercase",
        rf"(?:i|we)(?: currently| now| actually)? live in\s(?P<place>(?!downtown\b|the\b|an?\b|my\b|it\b|"
        rf"this\b|that\b|fear\b|hope\b|one\b|your\b|our\b)[a-z][\w-]+(?:\s[a-z][\w-]+){{0,2}}?){END}",
        "Lives in {place}.",
        slot="location.home",
        exclusive=True,
        confidence=0.75,
        relation="lives_in",
        refuse=_NO_TOWN,
        example=("battery park area actually, i live in lower manhattan", "Lives in lower Manhattan."),
        counter="I live in a small flat.",
    ),
    rule(
        "moved_to",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} (?:moved|relocated)(?: back| over| down| out|"
        rf" up)?(?: here)?(?: from\s(?P<left>{NAME}))? to\s(?P<place>{PLACE})(?:\sfrom\s(?P<town>{NAME}))?",
        "Lives in {place}.",
        slot="location.home",
        exclusive=True,
        confidence=0.9,
        relation="lives_in",
        refuse=_NO_PLACE,
        example=("I just moved to Austin, Texas last month.", "Lives in Austin, Texas."),
        counter="My sister moved to Austin.",
    ),
    rule(
        "from",
        rf"(?:{AM}{ADVERB} (?:originally )?from|i was born in|i (?:originally )?come from|"
        rf"i was born and raised in|i grew up in)\s(?P<place>{PLACE})",
        "Is from {place}.",
        slot="location.origin",
        exclusive=True,
        relation="from",
        refuse=_NO_PLACE,
        example=("I'm originally from Lima.", "Is from Lima."),
        counter="I'm from the old school.",
    ),
    rule(
        "lives_with",
        rf"(?:i|we){ADVERB} live (?P<who>alone|by myself|on my own|with my (?:\w+ )?(?:parents|mom|mum|dad|"
        rf"wife|husband|partner|girlfriend|boyfriend|fianc[e\u00e9]e?|family|sister|brother|roommates?|"
        rf"flatmates?|grandparents|kids|children|son|daughter)(?: and (?:my |our )?(?:\w+ )?(?:kids|"
        rf"children|son|daughter|dog|cat|parents))?){END}",
        "Lives {who}.",
        slot="home.with",
        exclusive=True,
        example=("I live alone.", "Lives alone."),
        counter="Do I live alone?",
    ),
    rule(
        "home_kind",
        rf"(?:i|we)(?: currently| now)? (?:live|are living) in\s(?P<what>an?\s(?:[\w-]+\s){{0,4}}"
        rf"(?:apartment|flat|house|condo|studio|townhouse|cabin|farm|dorm|loft|city|town|village|suburb|rv|"
        rf"van|building|neighbou?rhood|area|climate)\b(?:\s(?:in|near|on)\s{PHRASE})?)",
        "Lives in {what}.",
        slot="home.kind",
        exclusive=True,
        example=("I live in a small flat near the park.", "Lives in a small flat near the park."),
        counter="Do I live in a flat?",
    ),
    rule(
        "lives_now",
        rf"(?:{WE_ARE}|now) in\s(?P<place>(?!the\s){PLACE})\s(?:now|these days|nowadays|since "
        rf"\d{{4}})(?!\s(?:for|on|until|and))|{WE_ARE} still (?:living )?in\s(?P<town>{PLACE}){END}|"
        rf"{WE_ARE} in\s(?P<city>(?!the\s){PLACE}),?\s(?:btw|by the way|fyi|if (?:that|it) (?:helps|"
        rf"matters))(?=\s*[.,!]|$)",
        "Lives in {place}{town}{city}.",
        slot="location.home",
        exclusive=True,
        confidence=0.75,
        relation="lives_in",
        refuse=_NO_PLACE + r"|(?:Excel|Beta|Python|Grade|Phase|Stage|Level|College|High|School)\b",
        example=("I don't live in Paris anymore, I'm in Lyon now.", "Lives in Lyon."),
        counter="I'm in Excel and it crashes.",
    ),
    rule(
        "is_in",
        rf"(?<!while )(?<!when ){WE_ARE}(?: both| all)? in\s(?P<place>(?!the\s){PLACE})(?=\s*(?:[.!;)]|$|"
        rf",(?!\s(?:until|till|for|from|on)\b))|"
        rf"\s(?:and|but|so|with my|because)\b)(?![^.!?]*\b(?:flight|airport|hotel|layover|trip|visiting|holiday|"
        rf"vacation|tonight|today|tomorrow|weekend|for (?:a|an|the|two|three|\d)\b))",
        "Is in {place}.",
        slot="location.current",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        confidence=0.7,
        refuse=_NO_PLACE
        + r"|(?:Excel|Beta|Python|Grade|Phase|Stage|Level|College|High|School|Year|Love|[A-Z]{2,3}$)\b",
        example=("The lamp came with a crack and I'm in Rotterdam.", "Is in Rotterdam."),
        counter="I'm in Rotterdam, what can I see today?",
    ),
    rule(
        "home_town",
        rf"(?:my (?:home ?town|birth ?place)|home|where i live) is\s(?P<place>(?!the\s){PLACE}){END}",
        "Is from {place}.",
        slot="location.origin",
        exclusive=True,
        relation="from",
        refuse=r"(?:I|Not|OK)\b",
        example=("My hometown is Cleveland.", "Is from Cleveland."),
        counter="My hometown is boring.",
    ),
    rule(
        "family_from",
        rf"my (?P<of>family|ancestors|people|grandparents|dad's side|mom's side|mother's side|father's "
        rf"side)\s(?P<how>is|are|came|comes|come|was|were|is originally|are originally|immigrated) "
        rf"from\s(?P<place>{PLACE}){END}",
        "{of} {how} from {place}.",
        slot="family.origin.{of}",
        example=("My family is from Greece.", "Family is from Greece."),
        counter="My family is from another world.",
    ),
    rule(
        "rents",
        rf"(?:i|we|i'm|we're|i am){ADVERB} (?P<verb>rent|share|renting|sharing|subletting)\s(?P<what>(?:an?|"
        rf"the|our)\s(?:[\w-]+\s){{0,3}}?(?:apartment|flat|house|room|studio|condo|townhouse|loft|duplex|"
        rf"place|cottage)(?:\s(?:in|with|near|on|downtown|from)\s{PHRASE})?){END}",
        "Rents {what}.",
        slot="home.tenure",
        exclusive=True,
        example=("I rent a studio in Brooklyn.", "Rents a studio in Brooklyn."),
        counter="I rent movies.",
    ),
    rule(
        "grew_up",
        rf"i{ADVERB} (?:grew up|was raised)\s(?P<how>(?:in|on|near|outside|with|by|speaking|between|around|"
        rf"as)\s(?!it\b|that\b|this\b){PHRASE})",
        "Grew up {how}.",
        slot="identity.childhood",
        example=("I grew up on a farm in Iowa.", "Grew up on a farm in Iowa."),
        counter="I grew up fast.",
        refuse=r"\w+ (?:it|that|this|them)\b",
    ),
    rule(
        "has_place",
        rf"\b(?:my|our) (?P<what>(?:new |old |small |little |tiny |two-bedroom |one-bedroom |studio "
        rf")*(?:apartment|flat|condo|house|studio|cabin|cottage|farm|ranch|shop|bakery|restaurant|caf\u00e9|"
        rf"cafe|townhouse|garden|backyard|beach house|vacation home|summer house|lake house|boat))\s(?:here "
        rf")?in\s(?P<place>(?!the\s){PLACE})",
        "Has a {what} in {place}.",
        slot="owns.{what}",
        confidence=0.75,
        presupposed=True,
        refuse=_NO_PLACE
        + r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)\b",
        example=("I painted it for my studio in Utrecht.", "Has a studio in Utrecht."),
        counter="I painted my house in March.",
    ),
    rule(
        "lives_by",
        rf"(?:i|we)(?: currently| now| still| also)? live (?P<where>(?:(?:really |very |right |quite "
        rf")?(?:close to|near|next to|next door to|outside(?: of)?|across from|by|off|above|minutes from|an "
        rf"hour from|north of|south of|east of|west of|on)\s(?!it\b|there\b|you\b|this\b|my own\b|"
        rf"that\b){PHRASE}|in (?:the (?:countryside|suburbs|city|mountains|woods|desert|middle of\s{PHRASE}|"
        rf"(?-i:[A-Z]){PHRASE}|us|uk|states)|my (?:car|van|parents'? \w+))|abroad|(?:\w+ )?(?:minutes|miles|"
        rf"hours?|blocks|km) (?:from|away from|outside)\s{PHRASE})){END}",
        "Lives {where}.",
        slot="home.where",
        exclusive=True,
        refuse=r"(?:by|on|at) (?:the (?:rule|idea|principle|motto|edge)|coffee|faith|a budget|rules|least)\b",
        example=("We live near the beach.", "Lives near the beach."),
        counter="I live on coffee.",
    ),
    rule(
        "lives_with_others",
        rf"(?:i|we)(?: currently| now| still)? live with\s(?P<who>(?:an?|{WORD_FOR_TWO}|some|several|"
        rf"my)\s(?:\w+\s)?(?:roommates?|flatmates?|housemates?|friends?|people|dogs?|cats?|aunt|uncle|"
        rf"cousins?|boyfriend|girlfriend|in-laws|host family|ex|others)(?:\sand\s{PHRASE})?){END}",
        "Lives with {who}.",
        slot="home.with",
        exclusive=True,
        example=("I live with two roommates.", "Lives with two roommates."),
        counter="I live with the pain.",
    ),
)
