"""Who the user is: name, age, languages, papers, how to reach them."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    DATE,
    END,
    NAME,
    NATIONALITY,
    OCCUPATION,
    PHRASE,
    PLACE,
    TITLE,
    WE_ARE,
    WORD_FOR_TWO,
)
from sagacity.learning.rules.given_names import GIVEN
from sagacity.learning.rules.manner import LANGUAGE

_NOT_A_NAME = (
    r"(?:I\b|American|British|Canadian|Indian|Irish|Italian|German|French|Spanish|Mexican|Chinese|Japanese|"
    r"Korean|Australian|Christian|Catholic|Muslim|Jewish|Buddhist|Hindu|OK|Okay|Sorry|Not|Sure|New|So|Very|"
    r"Currently|A\b|An\b|The\b)"
)
_GIVEN_TO_ME = rf"(?!{_NOT_A_NAME}|{NATIONALITY}\b)(?:{TITLE}\.?\s)?(?-i:[^\W\d_a-z][\w'-]+)"
"""A single name with a capital, of which something else must say that it is one."""
_GREETED = r"(?<=hi,\s)"
"""As `subjects` writes every greeting."""
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
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
        rf"(?:(?:please |just |you can |but ){{0,2}}call me|(?:everybody|everyone|everyone here|people|most "
        rf"people|(?:my )?friends|(?:all )?my friends|my family|they all)(?: just| usually)? calls? me|"
        rf"i{ADVERB} go by|i'm known as)\s(?P<person>(?!{_NOT_A_NAME}){NAME})(?=[\s,.;!)]|$)",
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
        rf"{_GREETED}(?:{AM}|this is|my name is|the name's)\s(?P<person>(?!{_NOT_A_NAME}|{NATIONALITY}\b)"
        rf"(?-i:[^\W\d_a-z][\w'-]+))(?=[,.!]|\s(?:and|from|here)\b|$)",
        "Name is {person}.",
        slot="identity.name",
        exclusive=True,
        confidence=0.85,
        example=("Hello! I'm Elena, and I need help.", "Name is Elena."),
        counter="Hi, I'm Irish and I need help.",
    ),
    rule(
        "name_with_trade",
        rf"{AM}\s(?P<person>{_GIVEN_TO_ME}),\s(?=(?:an?\s|the\s)?(?:[\w-]+\s){{0,4}}?{OCCUPATION}\b)",
        "Name is {person}.",
        slot="identity.name",
        exclusive=True,
        confidence=0.85,
        example=("I'm Grace, a night-shift nurse.", "Name is Grace."),
        counter="I'm Irish, a nurse from Cork.",
    ),
    rule(
        "given_name",
        rf"(?:{AM}\s(?P<person>(?=(?-i:[A-Z])){GIVEN}(?:\s(?-i:[A-Z])[\w'-]+)?)(?=\s?[,.!]|\s(?:and|from|here)\b|"
        rf"\s?$)|"
        rf"{_GREETED}(?P<here>{GIVEN})\shere(?=[,.!]|\s(?:and|from|again)\b|$))",
        "Name is {person}{here}.",
        slot="identity.name",
        exclusive=True,
        confidence=0.85,
        example=("Hey, Sam here.", "Name is Sam."),
        counter="I'm Sam's sister.",
    ),
)

PERSON: Final[tuple[Rule, ...]] = (
    rule(
        "trade_with_name",
        rf"{AM}\s{_GIVEN_TO_ME},\s(?:an?|the)\s(?P<role>(?:(?!retired|former)[\w&/+-]+\s){{0,4}}?{OCCUPATION}\b(?<!student))"
        rf"(?P<where>(?:\s(?:in|near|at|for|of)\s(?:{NAME}|an?\s[\w -]{{3,40}}?))?)(?=\s*(?:[.,;!]|$)|"
        rf"\s(?:and|with|who)\b)",
        "Works as a {role} {where}.",
        slot="work.role",
        exclusive=True,
        anywhere=True,
        example=("I'm Grace, a night-shift nurse in Leeds.", "Works as a night-shift nurse in Leeds."),
        counter="She is Grace, a night-shift nurse in Leeds.",
    ),
    rule(
        "in_time_zone",
        rf"(?:{WE_ARE}{ADVERB} (?:in|on)|i{ADVERB} (?:live|work) in)\s(?:the\s)?(?P<zone>(?-i:[A-Z])[\w/+:-]*"
        rf"(?:\s(?-i:[A-Z])[\w/+:-]*)?)\s(?:standard |daylight )?time(?:[\s-]?zone)?(?=\s*(?:[.,;!)]|$)|"
        rf"\s(?:and|but|so)\b)",
        "Time zone is {zone}.",
        slot="identity.time_zone",
        exclusive=True,
        refuse=r"(?:I|The|My|Our|Real|No|Long)\b",
        example=("I'm in the Pacific time zone.", "Time zone is Pacific."),
        counter="I'm in Real time.",
    ),
    rule(
        "age",
        rf"(?:{AM}\s(?P<age>\d{{1,2}})(?:[ -]?(?:years?|yrs?)[ -](?:old|of age)|\s?y\.?/?o\.?)?"
        rf"(?=\s*(?:[.;!)]|,(?!\s?\d)|$)|\s(?:and|years?|now|btw|but|with)\b(?!\spercent|\sof\b))|"
        rf"i(?:'ve)?{ADVERB} turned (?P<turned>\d{{1,2}})\b)",
        "Is {age}{turned} years old.",
        slot="identity.age",
        exclusive=True,
        confidence=0.85,
        example=("I'm 32 years old.", "Is 32 years old."),
        counter="I'm 32 percent done.",
    ),
    rule(
        "attribute",
        rf"my (?P<of>time ?zone|eye colou?r|hair colou?r|religion|maiden name|middle name|pronouns|job "
        rf"title|blood type|shoe size|dress size|native country|nationality|star sign) (?P<how>is|"
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
        rf"th)? of \w+)(?:,? (?:19|20)\d\d)?)(?P<how>(?:\sin\s{PLACE})?)",
        "Was born {when} {how}.",
        slot="identity.birthday",
        exclusive=True,
        example=("I was born in 1990 in Graz.", "Was born in 1990 in Graz."),
        counter="I was born in a barn.",
    ),
    rule(
        "birthday",
        rf"my birthday(?:'s| is)\s(?:on\s)?(?P<day>(?:(?:the\s)?\d{{1,2}}(?:(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}|st|nd|"
        rf"rd|th|[./-]\d{{1,2}}[./]?)(?!\w)|{_MONTH}\s\d{{1,2}}\w{{0,2}})(?:,?\s(?:19|20)\d\d)?)",
        "Birthday is {day}.",
        slot="identity.birthday",
        exclusive=True,
        example=("My birthday is on March 3rd, by the way.", "Birthday is March 3rd."),
        counter="My birthday is always chaos.",
    ),
    rule(
        "languages",
        rf"(?:(?:i|we){ADVERB} speak (?P<which>{LANGUAGE})(?= (?:at home|with (?:my|our) \w+|natively|fluently)\b))|"
        r"(?:(?:i|we)(?: (?!don't|do|can't|never|want)\w+)? speak|(?:i\s?'m|i am)(?: \w+)? fluent "
        r"in)\s(?P<what>(?:(?:fluent|basic|some|native|only|both|a little|a bit of|decent|good|"
        r"conversational)\s)?(?-i:[A-Z])\w+(?:(?:,| and|, and| but only)\s(?:(?:some|a little|a bit of|"
        r"basic|also|fluent)\s)?(?-i:[A-Z])\w+){0,4})|my (?:native|first|mother) (?:language|tongue) is "
        r"(?P<native>(?-i:[A-Z])\w+)",
        "Speaks {which}{what}{native}.",
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
        r"(?:my (?:\w+ )?(?:phone|mobile|cell|telephone|number|phone number|mobile number|cell number|"
        r"whatsapp)(?: number)?(?:'s| is)|(?:you can )?(?:reach|call|text) me (?:at|on|"
        r"under))\s(?P<number>\+?\(?\d[\d ()/.-]{5,20}\d)(?![\w%])",
        "Phone number is {number}.",
        slot="contact.phone",
        exclusive=True,
        confidence=0.9,
        example=("My phone number is 030 1234567.", "Phone number is 030 1234567."),
        counter="My phone is 3 years old.",
    ),
    rule(
        "postal_address",
        r"(?:(?:(?:my|our) (?:(?:new|home|postal|mailing|shipping|street|billing|delivery) ){0,2}|(?:the |our )?new )"
        r"address(?:'s| is)|i "
        r"(?:currently )?live at)\s(?P<address>(?=[^\n;!?]{0,60}\d)(?-i:[A-Z0-9])[\w '.-]{3,50}(?:, "
        r"[\w '.-]{2,40}){0,3})",
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
        rf"i(?:'ve| have)?{ADVERB} (?P<verb>got|gotten|obtained|have|had|passed)\s(?:my |a |an "
        rf")(?P<what>(?:driver'?s?|driving|pilot'?s?|boating|motorcycle|fishing|hunting) (?:licen[cs]e|"
        rf"test))(?P<when>(?:\s(?:in|on|since|last|for|this)\s[\w\s]{{1,25}}?)?){END}",
        "Got a {what} {when}.",
        slot="identity.{what}",
        exclusive=True,
        refuse=r"\w+ test$",
        example=("I got my driving licence in 2019.", "Got a driving licence in 2019."),
        counter="I want my driving licence.",
    ),
    rule(
        "licence_expires",
        rf"my (?P<what>(?:driver'?s?|driving|pilot'?s?) licen[cs]e|passport|visa|work permit|residence "
        rf"permit|green card)\s(?P<how>expires|expired|runs out|ran out|is valid "
        rf"until)\s(?:on\s)?(?P<when>{DATE})",
        "{what} {how} {when}.",
        slot="identity.{what}.expiry",
        exclusive=True,
        example=("My driving licence expires in May 2027.", "Driving licence expires in May 2027."),
        counter="Does my passport expire in May?",
    ),
    rule(
        "no_licence",
        rf"(?:i|we){ADVERB} (?P<how>don't|do not) (?:have|own) (?:(?P<less>an?)\s|my |any |our )?(?:own "
        rf")?(?P<what>(?:(?:driver'?s?|driving) )?licen[cs]e|car|bike|smartphone|tv|television|siblings|kids|"
        rf"children|pets|dishwasher|oven|microwave|garden|yard|garage|washing machine|dryer|printer|laptop|"
        rf"computer|credit card|passport|health insurance|insurance|degree|air fryer|blender|grill|bank "
        rf"account|savings|air conditioning|ac|facebook|instagram|whatsapp|social media|brothers|sisters|"
        rf"family (?:here|nearby)|internet at home)(?: actually| either| anyway| at all| yet)?{END}",
        "Does not have {less} {what}.",
        slot="has_no.{what}",
        exclusive=True,
        example=("I don't have a car.", "Does not have a car."),
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
        rf"{WE_ARE}{ADVERB}\s(?P<status>retired|unemployed|self[- ]employed|a single (?:mom|dad|parent|"
        rf"mother|father)|left[- ]handed|bilingual|trilingual|between jobs|out of work|unmarried|childless|"
        rf"childfree|sober|agnostic|an? (?:atheist|christian|buddhist|muslim|orphan|widow|widower|twin|"
        rf"feminist|foodie|homebody|extrovert)|sikh|christian|mormon|protestant|orthodox|religious|an? "
        rf"foster (?:parent|mom|dad)|a stay[- ]at[- ]home (?:mom|dad)|nonbinary|non-binary|asexual|"
        rf"pansexual|queer|neurodivergent|hearing impaired|visually impaired|an amputee|transgender|deaf|"
        rf"hard of hearing|blind|gay|lesbian|bisexual|vaccinated|jewish|muslim|catholic|hindu|buddhist|an? "
        rf"(?:only child|vet(?:eran)?|expat|immigrant|homeowner))(?=\s*(?:[,.;!)]|$)|\s(?:and|with|now|so|"
        rf"but|since|right|at the|these|atm)\b)",
        "Is {status}.",
        slot="identity.{status}",
        example=("I'm retired and have time.", "Is retired."),
        counter="I'm deaf to that argument.",
    ),
    rule(
        "marital_status",
        rf"(?:(?:{WE_ARE}{ADVERB}|i{ADVERB} got|we{ADVERB} got)\s|(?<=\d\sand\s)|(?<=\d,\s))"
        rf"(?P<status>(?:happily |newly |recently )?(?:single|married|divorced|widowed|engaged|separated))"
        rf"(?P<more>\sto (?:my \w+(?:\s(?-i:[A-Z])\w+)?|{NAME}))?(?P<when>(?:\s(?:for|in|since|"
        rf"last)\s[\w\s]{{1,25}}?)?)(?=\s*(?:[,.;!)]|$)|\s(?:and|with|now|so|but)\b)",
        "Is {status} {more}.",
        slot="identity.marital_status",
        exclusive=True,
        refuse=r"to my (?:job|work|phone)\b",
        example=("I'm married to Eva and we have a son.", "Is married to Eva."),
        counter="I'm married to the idea of a blue wall.",
    ),
    rule(
        "divorced_from",
        rf"(?:me and (?=\S)|(?=[^,.;:!?\n]{{2,40}} and (?:i|me)\b))(?P<other>{NAME}|my (?:wife|husband|"
        rf"partner|ex)(?:\s{NAME})?)(?: and (?:i|me))?{ADVERB} (?:got|are(?: getting)?|have(?: been)?) "
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
        rf"i{ADVERB} (?:got|was|have been|'ve been) (?P<what>promoted|pregnant|fired|laid off|hired|"
        rf"naturali[sz]ed)(?P<more>(?:\s(?:to|in|on|at|from|by|as)\s{PHRASE})?)",
        "Was {what} {more}.",
        slot="life.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I just got promoted to lead analyst.", "Was promoted to lead analyst."),
        counter="My cousin got promoted.",
    ),
    rule(
        "nationality",
        rf"{WE_ARE}{ADVERB}\s(?:an?\s)?(?P<what>(?:half[- ]|part[- ]|originally |born "
        rf")?{NATIONALITY}(?:[- ](?:american|canadian|australian|british|born))?)(?=\s*(?:[.;!)]|,|$)|"
        rf"\s(?:and|but|so|by|living|who|citizen|expat|immigrant)\b)",
        "Is {what}.",
        slot="identity.nationality",
        example=("I'm American but I live in Spain.", "Is American."),
        counter="I'm German Shepherd owner.",
    ),
    rule(
        "papers",
        rf"i{ADVERB} (?:have|hold)\s(?P<what>(?:an?\s)?(?:dual|{NATIONALITY}|eu|us|uk)\s(?:citizenship|"
        rf"nationality|passport)|an?\s(?:\w+ )?(?:green card|work permit|student visa|work visa|h-?1b(?: "
        rf"visa)?|residence permit))\b",
        "Has {what}.",
        slot="identity.papers",
        example=("I have dual citizenship.", "Has dual citizenship."),
        counter="I have a visa question.",
    ),
    rule(
        "no_driving",
        rf"i{ADVERB} (?:(?:don't|do not|can't|cannot) (?P<what>drive|swim|cook|sew|ski|ride a bike)|never "
        rf"learned (?:how )?to (?P<more>drive|swim|cook|sew|ski|ride a bike|read music))(?=\s*(?:[,.;!)]|$)|"
        rf"\s(?:and|but|so|anymore|any more|at all|because)\b)",
        "Does not {what}{more}.",
        slot="skill.{what}{more}",
        exclusive=True,
        example=("I never learned to drive.", "Does not drive."),
        counter="I don't drive that far.",
    ),
    rule(
        "birthday_soon",
        rf"(?:it's|it is|it will be) my (?P<age>\d{{2}}(?:st|nd|rd|th) "
        rf")?birthday\s(?:on\s)?(?P<when>{DATE})|my (?:\d{{2}}(?:st|nd|rd|th) )?birthday(?:'s| "
        rf"is)\s(?:coming up\s)?(?:on\s)?(?P<day>next\s\w+|this\s\w+|tomorrow|"
        rf"in\s(?!the\b)\w+(?:\s\w+)?){END}",
        "Has their {age} birthday {when}{day}.",
        slot="plan.birthday",
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        example=("It's my birthday next week.", "Has their birthday next week."),
        counter="It's my birthday cake.",
    ),
    rule(
        "speaks_many",
        r"i (?:also |can |only )?speak (?P<what>(?:two|three|four|five|six|seven|\d|several) languages)",
        "Speaks {what}.",
        slot="identity.languages.count",
        example=("I speak three languages.", "Speaks three languages."),
        counter="I speak for three people.",
    ),
    rule(
        "language_rank",
        r"(?P<what>(?-i:[A-Z])\w+) (?P<how>is|isn't|is not) my (?P<which>second|third|first|native|mother) "
        r"(?:language|tongue)",
        "{what} {how} their {which} language.",
        slot="identity.languages.{which}",
        example=("English is my second language.", "English is their second language."),
        counter="Respect is my first language rule.",
        refuse=r"(?:Respect|It|That|This)\b",
    ),
    rule(
        "age_person",
        rf"(?:{AM}{ADVERB}|as)\s(?:an?\s)?(?P<age>\d{{2}})[- ]?(?:years?|yrs?|yr)?[- ]?(?:old|"
        rf"y/?o)\b(?=\s(?:[\w-]+\s){{0,2}}?(?:man|woman|male|female|guy|girl|boy|student|mom|mum|dad|mother|"
        rf"father|person|grandma|grandmother|grandfather|teen\w*|{OCCUPATION})\b)",
        "Is {age} years old.",
        slot="identity.age",
        exclusive=True,
        example=("I'm a 34 year old woman.", "Is 34 years old."),
        counter="I'm a 34 year fan.",
    ),
    rule(
        "last_name",
        rf"my (?P<of>last name|surname|family name|nickname|stage name|pen name|gamertag|handle|instagram "
        rf"handle|twitter handle|github username|github handle)(?:'s| is)\s(?P<product>@?(?:{NAME}|"
        rf"[\w.-]*\d[\w.-]*)){END}",
        "{of} is {product}.",
        slot="identity.{of}",
        exclusive=True,
        refuse=r"(?:I|Not|Spelled|Wrong)\b",
        example=("My last name is Chen.", "Last name is Chen."),
        counter="My last name is spelled with a K.",
    ),
    rule(
        "identifies_as",
        rf"i (?P<how>identify as|use|go by|prefer)\s(?P<what>(?:she|he|they|xe|ze)/(?:her|him|them|\w+)(?: "
        rf"pronouns)?|(?<=as\s)(?:an?\s)?(?:nonbinary|non-binary|queer|gay|lesbian|bi(?:sexual)?|pansexual|"
        rf"asexual|trans(?:gender)?|a (?:man|woman)|christian|atheist|agnostic|feminist|libertarian|liberal|"
        rf"conservative|democrat|republican|progressive|\w+-american)){END}",
        "Identity: {what}.",
        slot="identity.identity.{what}",
        example=("I go by they/them.", "Identity: they/them."),
        counter="I go by it.",
    ),
    rule(
        "main_thing_is",
        rf"my (?P<of>(?:(?:main|biggest|favou?rite|only|other|new|greatest|real|worst) )?(?:hobby|hobbies|"
        rf"interests?|passions?|pet peeve|fear|phobia|weakness|strength|guilty pleasure|side hustle|side "
        rf"project|love language|spirit animal|comfort food|go-to (?:\w+ )?\w+|superpower|obsession|"
        rf"inspiration|hero|idol|zodiac sign|sign|star sign|mbti|enneagram|blood group|religion|faith|"
        rf"political views|native tongue|instrument|sport|team)) (?P<how>is|are|"
        rf"include)\s(?P<what>(?!that\b|it\b|this\b|how\b|when\b|not\b|the (?:fact|way|same)\b|great\b|"
        rf"good\b|down\b){PHRASE})",
        "{of} {how} {what}.",
        slot="taste.{of}",
        exclusive=True,
        confidence=0.8,
        refuse=(
            r".*\b(?:it|this|that|them|you)$|(?:working|working on|doing|trying|getting|in|on|at|here|there|"
            r"losing|winning|missing|gone|showing|\d)"
        ),
        example=("My hobby is photography.", "Hobby is photography."),
        counter="My hobby is great.",
    ),
    rule(
        "family_of",
        rf"(?:we're|we are|i'm from|i come from|i'm part of)\s(?P<what>(?:an?\s)(?:\w+\s){{0,2}}?(?:family|"
        rf"household) of\s(?:{WORD_FOR_TWO}|seven|eight|nine|ten|\w+s)|a (?:big|large|small|military|"
        rf"religious|musical|blended|\w+-speaking) family){END}",
        "Is of {what}.",
        slot="family.size",
        exclusive=True,
        example=("We're a family of five.", "Is of a family of five."),
        counter="We're a family business.",
    ),
)
