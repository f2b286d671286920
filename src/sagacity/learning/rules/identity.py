"""Who the user is: name, home, age, languages, how to reach them."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AM, END, HAVE_BEEN, NAME, PHRASE, PLACE, WE_ARE

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
        rf"(?:my (?:full |first )?name(?:'s| is)|(?:please )?call me)\s(?P<person>{NAME})",
        "Name is {person}.",
        slot="identity.name",
        exclusive=True,
        confidence=0.95,
        example=("Hi! My name is Raj Patel and I'm a developer.", "Name is Raj Patel."),
        counter="Write a story in which my name is Raj.",
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
        rf"i{ADVERB} (?:no longer live|don't live) in\s(?P<place>{PLACE})(?:\sany\s?more)?",
        "Does not live in {place}.",
        slot="location.home",
        negates=True,
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
        example=("battery park area actually, i live in lower manhattan", "Lives in lower manhattan."),
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
        rf"(?:{AM}{ADVERB} (?:originally )?from|i was born in|i grew up in)\s(?P<place>{PLACE})",
        "Is from {place}.",
        slot="location.origin",
        exclusive=True,
        relation="from",
        example=("I'm originally from Lima.", "Is from Lima."),
        counter="I'm from the old school.",
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
        rf"now)\b)|i(?:'ve)?{ADVERB} turned (?P<turned>\d{{1,2}})\b)",
        "Is {age}{turned} years old.",
        slot="identity.age",
        exclusive=True,
        confidence=0.85,
        example=("I'm 32 years old.", "Is 32 years old."),
        counter="I'm 32 percent done.",
    ),
    rule(
        "attribute",
        rf"my (?P<of>time ?zone|pronouns|phone number|mobile number|job title|blood type|shoe size|"
        rf"dress size|native country|nationality|star sign|mother tongue) (?P<how>is|"
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
        r"i was born (?P<when>in (?:19|20)\d\d|on (?:the )?\w+ \w+(?:,? (?:19|20)\d\d)?)",
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
        r"(?:i|we)(?: \w+)? speak (?P<what>(?:(?:fluent|basic|some|native|only|"
        r"both)\s)?(?-i:[A-Z])\w+(?:(?:,| and|, and)\s(?:some\s)?(?-i:[A-Z])\w+){0,4})|my (?:native|first|"
        r"mother) (?:language|tongue) is (?P<native>(?-i:[A-Z])\w+)",
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
        rf"{AM}{ADVERB}\s(?P<status>(?:happily |newly )?(?:married|divorced|widowed|retired|unemployed|"
        rf"self-employed|engaged)|a single (?:mom|dad|parent|mother|father)|left-handed|"
        rf"bilingual)(?:\s(?:to\s(?P<person>{NAME})))?(?=\s*(?:[,.;!)]|$)|\s(?:and|with|now)\b)",
        "Is {status}.",
        slot="identity.{status}",
        example=("I'm retired and have time.", "Is retired."),
        counter="I'm married to the idea of a blue wall.",
        refuse=r"the\b",
    ),
    rule(
        "life_event",
        rf"i{ADVERB} got (?P<what>married|engaged|divorced|promoted|pregnant)(?P<more>(?:\s(?:to|in|"
        rf"on)\s{PHRASE})?)",
        "Got {what} {more}.",
        slot="life.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        example=("I just got promoted to lead analyst.", "Got promoted to lead analyst."),
        counter="My cousin got married.",
    ),
)
