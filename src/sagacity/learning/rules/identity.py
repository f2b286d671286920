"""Who the user is: name, home, age, languages, how to reach them."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AM, DATE, END, HAVE_BEEN, NAME, PHRASE, PLACE, WE_ARE

_NOT_A_NAME = (
    r"(?:I\b|American|British|Canadian|Indian|Irish|Italian|German|French|Spanish|Mexican|Chinese|Japanese|"
    r"Korean|Australian|Christian|Catholic|Muslim|Jewish|Buddhist|Hindu|OK|Okay|Sorry|Not|Sure|New|So|Very|"
    r"Currently|A\b|An\b|The\b)"
)
_NO_PLACE = (
    r"(?:downtown|area|my|our|a|an|it|this|that|these|those|there|here|with|your|fear|hope|pain|peace|plan|"
    r"step|page|option|section|chapter|google|settings|the\b(?-i:\s[a-z]))\b"
)

NAMES: Final[tuple[Rule, ...]] = (
    rule(
        "name",
        rf"my (?:full |first |real )?name(?:'s| is)\s(?P<person>{NAME})",
        "Name is {person}.",
        slot="identity.name",
        exclusive=True,
        confidence=0.95,
        example=("Hi! My name is Raj Patel and I'm a developer.", "Name is Raj Patel."),
        counter="Write a story in which my name is Raj.",
    ),
    rule(
        "nickname",
        rf"(?:(?:please |just |you can |but ){{0,2}}call me|(?:everybody|everyone|everyone here|people|"
        rf"most people|(?:my )?friends|"
        rf"(?:all )?my friends|my family|they all)(?: just| usually)? calls? me|i{ADVERB} go by|i'm known as)"
        rf"\s(?P<person>(?!{_NOT_A_NAME}){NAME})(?=[\s,.;!)]|$)",
        "Is called {person}.",
        slot="identity.nickname",
        exclusive=True,
        confidence=0.9,
        example=("My name is Tobias but everybody calls me Tobi.", "Is called Tobi."),
        counter="My boss calls me Monday.",
    ),
    rule(
        "introduced_name",
        rf"(?:{AM}|this is)\s(?P<person>(?!{_NOT_A_NAME})(?-i:[^\W\d_a-z][\w'-]+"
        rf"(?:\s[^\W\d_a-z][\w'-]+){{1,2}}))(?=[,.!]|\s(?:and|from|here)\b|$)",
        "Name is {person}.",
        slot="identity.name",
        exclusive=True,
        confidence=0.9,
        example=(
            "Hi, I'm Elena Rodriguez, senior backend engineer at FinServe Corp.",
            "Name is Elena Rodriguez.",
        ),
        counter="I'm Not Sure about that.",
    ),
    rule(
        "greeting_name",
        rf"(?<=h[iy],\s)(?:{AM}|this is)\s(?P<person>(?!{_NOT_A_NAME})(?-i:[^\W\d_a-z][\w'-]+))(?=[,.!]|"
        rf"\s(?:and|from|here)\b|$)",
        "Name is {person}.",
        slot="identity.name",
        exclusive=True,
        confidence=0.85,
        example=("Hi, I'm Elena and I need help.", "Name is Elena."),
        counter="Hi, I'm Irish and I need help.",
    ),
)

HOME: Final[tuple[Rule, ...]] = (
    rule(
        "left_home",
        rf"(?:i|we){ADVERB} (?:no longer live|don't live|do not live) in\s(?P<place>{PLACE})(?:\sany\s?more)?|"
        rf"{WE_ARE}{ADVERB} (?:no longer|not) living in\s(?P<town>{PLACE})(?:\sany\s?more)?|"
        rf"(?:i|we)(?:'ve| have)?{ADVERB} moved (?:out of|away from)\s(?P<city>{PLACE})",
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
        rf"living)\s(?:(?:here\s)?in|out of)\s(?P<place>{PLACE})",
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
        example=("battery park area actually, i live in lower manhattan", "Lives in lower Manhattan."),
        counter="I live in a small flat.",
    ),
    rule(
        "moved_to",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} (?:moved|relocated)(?: back| over| down| out|"
        rf" up)? (?:here )?to\s(?P<place>{PLACE})",
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
        example=("I'm originally from Lima.", "Is from Lima."),
        counter="I'm from the old school.",
    ),
    rule(
        "lives_with",
        rf"(?:i|we){ADVERB} live (?P<who>alone|by myself|on my own|with my (?:\w+ )?(?:parents|mom|mum|dad|wife|"
        rf"husband|partner|"
        rf"girlfriend|boyfriend|fianc[e\u00e9]e?|family|sister|brother|roommates?|flatmates?|grandparents|kids|"
        rf"children|son|"
        rf"daughter)(?: and (?:my |our )?(?:\w+ )?(?:kids|children|son|daughter|dog|cat|parents))?){END}",
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
)

PERSON: Final[tuple[Rule, ...]] = (
    rule(
        "age",
        rf"(?:{AM}\s(?P<age>\d{{1,2}})(?:[ -]years?[ -]old)?(?=\s*(?:[.;!)]|,(?!\s?\d)|$)|\s(?:and|years?|"
        rf"now|btw|but|with)\b(?!\spercent|\sof\b))|i(?:'ve)?{ADVERB} turned (?P<turned>\d{{1,2}})\b)",
        "Is {age}{turned} years old.",
        slot="identity.age",
        exclusive=True,
        confidence=0.85,
        example=("I'm 32 years old.", "Is 32 years old."),
        counter="I'm 32 percent done.",
    ),
    rule(
        "attribute",
        rf"my (?P<of>time ?zone|eye colou?r|hair colou?r|religion|maiden name|middle name|pronouns|job title|"
        rf"blood type|shoe size|"
        rf"dress size|native country|nationality|star sign) (?P<how>is|"
        rf"are)\s(?P<what>{PHRASE})",
        "{of} {how} {what}.",
        slot="identity.{of}",
        exclusive=True,
        refuse=r"(?:not|wrong|missing|on|already|the same|limited|tight|below|above|what|important)\b",
        example=("My timezone is CET, by the way.", "Timezone is CET."),
        counter="Is my timezone CET?",
    ),
    rule(
        "birth_year",
        r"i was born (?P<when>in (?:19|20)\d\d|on (?:the )?(?:\w+ \w+|\d{1,2}(?:st|nd|rd|"
        r"th)? of \w+)(?:,? (?:19|20)\d\d)?)",
        "Was born {when}.",
        slot="identity.birthday",
        exclusive=True,
        example=("I was born in 1990.", "Was born in 1990."),
        counter="I was born in a barn.",
    ),
    rule(
        "birthday",
        rf"my birthday(?:'s| is)\s(?:on\s)?(?P<day>(?:the\s)?(?:\d|(?:january|february|march|april|may|"
        rf"june|july|august|september|october|november|december)\b){PHRASE}|(?:january|february|march|"
        rf"april|may|june|july|august|september|october|november|december)\s\d{{1,2}}\w{{0,2}})",
        "Birthday is {day}.",
        slot="identity.birthday",
        exclusive=True,
        example=("My birthday is on March 3rd, by the way.", "Birthday is March 3rd."),
        counter="My birthday is always chaos.",
    ),
    rule(
        "languages",
        r"(?:(?:i|we)(?: (?!don't|do|can't|never|want)\w+)? speak|(?:i\s?'m|i am)(?: \w+)? fluent in)\s"
        r"(?P<what>(?:(?:fluent|basic|some|native|only|both|a little|a bit of|decent|good|"
        r"conversational)\s)?(?-i:[A-Z])\w+"
        r"(?:(?:,| and|, and| but only)\s(?:(?:some|a little|a bit of|basic|also|fluent)\s)?(?-i:[A-Z])\w+){0,4})|"
        r"my (?:native|first|mother) (?:language|tongue) is (?P<native>(?-i:[A-Z])\w+)",
        "Speaks {what}{native}.",
        slot="identity.languages",
        example=("I speak Portuguese and some Dutch at home.", "Speaks Portuguese and some Dutch."),
        counter="I speak for everyone here.",
    ),
    rule(
        "email",
        r"(?:my (?:\w+ )?e-?mail(?: address)?(?:'s| is)|(?:e-?mail|reach|"
        r"contact) me at)\s(?P<address>[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4})",
        "Email address is {address}.",
        slot="contact.email",
        exclusive=True,
        confidence=0.9,
        example=("My email is ana@example.org.", "Email address is ana@example.org."),
        counter="My email is broken.",
    ),
    rule(
        "phone",
        r"(?:my (?:\w+ )?(?:phone|mobile|cell|telephone|number|phone number|mobile number|cell number|whatsapp)"
        r"(?: number)?(?:'s| is)|(?:you can )?(?:reach|call|text) me (?:at|on|under))\s"
        r"(?P<number>\+?\(?\d[\d ()/.-]{5,20}\d)(?![\w%])",
        "Phone number is {number}.",
        slot="contact.phone",
        exclusive=True,
        confidence=0.9,
        example=("My phone number is 030 1234567.", "Phone number is 030 1234567."),
        counter="My phone is 3 years old.",
    ),
    rule(
        "postal_address",
        r"(?:my (?:home |postal |mailing |shipping |street |billing |delivery )?address(?:'s| is)|"
        r"i (?:currently )?live at)\s"
        r"(?P<address>(?=[^\n;!?]{0,60}\d)(?-i:[A-Z0-9])[\w '.-]{3,50}(?:, [\w '.-]{2,40}){0,3})",
        "Address is {address}.",
        slot="contact.address",
        exclusive=True,
        confidence=0.9,
        refuse=r".*\b(?:is|was|were|but)\b|\d+ ?(?:am|pm)\b",
        example=("My address is 12 Mill Road, Leeds.", "Address is 12 Mill Road, Leeds."),
        counter="My address is wrong.",
    ),
    rule(
        "licence",
        rf"i(?:'ve| have)?{ADVERB} (?P<verb>got|gotten|obtained|have|had|passed)\s(?:my |a |"
        rf"an )(?P<what>(?:driver'?s?|driving|"
        rf"pilot'?s?|boating|motorcycle|fishing|hunting) (?:licen[cs]e|test))(?P<when>(?:\s(?:in|on|since|last|"
        rf"for|this)\s"
        rf"[\w\s]{{1,25}}?)?){END}",
        "Got a {what} {when}.",
        slot="identity.{what}",
        exclusive=True,
        refuse=r"\w+ test$",
        example=("I got my driving licence in 2019.", "Got a driving licence in 2019."),
        counter="I want my driving licence.",
    ),
    rule(
        "licence_expires",
        rf"my (?P<what>(?:driver'?s?|driving|pilot'?s?) licen[cs]e|passport|visa|work permit|residence permit|"
        rf"green card)"
        rf"\s(?P<how>expires|expired|runs out|ran out|is valid until)\s(?:on\s)?(?P<when>{DATE})",
        "{what} {how} {when}.",
        slot="identity.{what}.expiry",
        exclusive=True,
        example=("My driving licence expires in May 2027.", "Driving licence expires in May 2027."),
        counter="Does my passport expire in May?",
    ),
    rule(
        "no_licence",
        rf"i{ADVERB} (?P<how>don't|do not) have (?:an? |my )?(?P<what>(?:driver'?s?|driving) licen[cs]e|car|"
        rf"smartphone|tv|"
        rf"siblings|kids|children|pets){END}",
        "Does not have {what}.",
        slot="has_no.{what}",
        exclusive=True,
        example=("I don't have kids.", "Does not have kids."),
        counter="I don't have time.",
    ),
    rule(
        "user_id",
        r"my (?P<what>user ?name|user id|customer (?:id|number)|account (?:id|number))(?:'s|"
        r" is)\s(?P<id>[\w.-]*\d[\w.-]*)",
        "Has the {what} {id}.",
        slot="identity.{what}",
        exclusive=True,
        example=("Sure, my user ID is anya_garcia_5901, thanks.", "Has the user ID anya_garcia_5901."),
        counter="My user ID is missing.",
    ),
    rule(
        "zip",
        r"(?:my zip(?: ?code)?(?:'s| is)|(?:and )?my (?:postal|post) ?code is)\s(?P<code>[\w -]{3,9}\b)",
        "Zip code is {code}.",
        slot="location.zip",
        exclusive=True,
        refuse=r"\D+$",
        example=("My zip code is 90504.", "Zip code is 90504."),
        counter="My zip code is wrong.",
    ),
    rule(
        "tier",
        rf"{AM}(?: an?)?\s(?P<tier>bronze|silver|gold|platinum|diamond|premium|vip|elite|"
        rf"pro)(?:[ -](?:tier|member|status|plan|customer|user))\b",
        "Is a {tier} tier customer.",
        slot="account.tier",
        exclusive=True,
        example=("I'm gold tier if that matters.", "Is a gold tier customer."),
        counter="I'm gold certified.",
    ),
    rule(
        "status",
        rf"{AM}{ADVERB}\s(?P<status>retired|unemployed|self[- ]employed|a single (?:mom|dad|parent|mother|father)|"
        rf"left-handed|bilingual|trilingual|transgender|deaf|hard of hearing|blind|gay|lesbian|bisexual|"
        rf"vaccinated|jewish|"
        rf"muslim|catholic|hindu|buddhist|an? (?:only child|vet(?:eran)?|expat|immigrant|homeowner))"
        rf"(?=\s*(?:[,.;!)]|$)|\s(?:and|with|now|so|but|since)\b)",
        "Is {status}.",
        slot="identity.{status}",
        example=("I'm retired and have time.", "Is retired."),
        counter="I'm deaf to that argument.",
    ),
    rule(
        "marital_status",
        rf"(?:{WE_ARE}{ADVERB}|i{ADVERB} got|we{ADVERB} got)\s(?P<status>(?:happily |newly |"
        rf"recently )?(?:single|married|"
        rf"divorced|widowed|engaged|separated))(?P<more>\sto (?:my \w+(?:\s(?-i:[A-Z])\w+)?|{NAME}))?"
        rf"(?P<when>(?:\s(?:for|in|since|last)\s[\w\s]{{1,25}}?)?)(?=\s*(?:[,.;!)]|$)|\s(?:and|with|now|so|but)\b)",
        "Is {status} {more}.",
        slot="identity.marital_status",
        exclusive=True,
        refuse=r"to my (?:job|work|phone)\b",
        example=("I'm married to Eva and we have a son.", "Is married to Eva."),
        counter="I'm married to the idea of a blue wall.",
    ),
    rule(
        "divorced_from",
        rf"(?:me and (?=\S)|(?=[^,.;:!?\n]{{2,40}} and (?:i|me)\b))"
        rf"(?P<other>{NAME}|my (?:wife|husband|partner|ex)(?:\s{NAME})?)"
        rf"(?: and (?:i|me))?{ADVERB} (?:got|are(?: getting)?|have(?: been)?) "
        rf"(?P<status>divorced|separated)(?=[\s,.;!)]|$)",
        "Is {status} from {other}.",
        slot="identity.marital_status",
        exclusive=True,
        refuse=r"(?:I|We|They|You|He|She|It)\b",
        example=("Eva and I got divorced.", "Is divorced from Eva."),
        counter="Eva and Tom got divorced.",
    ),
    rule(
        "life_event",
        rf"i{ADVERB} (?:got|was|have been|'ve been) (?P<what>promoted|pregnant|fired|laid off|hired|naturali[sz]ed)"
        rf"(?P<more>(?:\s(?:to|in|on|at|from|by|as)\s{PHRASE})?)",
        "Was {what} {more}.",
        slot="life.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I just got promoted to lead analyst.", "Was promoted to lead analyst."),
        counter="My cousin got promoted.",
    ),
)
