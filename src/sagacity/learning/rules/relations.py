"""Whom the user speaks of as theirs: family, colleagues, pets."""

from typing import Final

from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import KIN, NAME, PET, PLACE, TITLE

_PERSON = r"(?P<person>(?-i:[^\W\d_a-z][\w'-]*[^\W\d_](?:\s[^\W\d_a-z][\w'-]+)?))"
_KIN_NAMED = (
    rf"\bmy (?P<kin>{KIN}),?\s(?:(?:named|called)\s)?{_PERSON},?\s(?:who )?(?:now |currently |also |still )?"
)

RELATIONS: Final[tuple[Rule, ...]] = (
    rule(
        "kin_named",
        rf"\bmy (?P<kin>{KIN})(?:\sfrom\s\w+)?(?:'s name is|,? (?:is )?(?:named|called)|"
        rf",)?\s(?P<person>(?:{TITLE}\.?\s)?(?!{TITLE}\b)(?-i:[^\W\d_a-z][\w'-]*[^\W\d_](?:\s[^\W\d_a-z][\w'-]+)?))"
        rf"(?<!'s)(?<!'S)(?=[,.;:!?)]|'s|\s|$)",
        "Has a {kin} named {person}.",
        slot="relation.{kin}.{person}",
        relation="has_{kin}",
        anywhere=True,
        refuse=r"(?:I|I'm|I've|I'd|I'll|And|But|So|OK|Thanks|Also|Which|Who|He|She|We|They|The|In|On|At|"
        r"Please|Christmas|Day|Group|\w+day|January|February|April|June|July|August|September|"
        r"October|November|December)\b",
        example=("My manager Lisa asked me to set up webhooks.", "Has a manager named Lisa."),
        counter="I bought it for my sister.",
    ),
    rule(
        "kin_works_at",
        rf"{_KIN_NAMED}(?:works|is working) (?:at|for)\s(?P<org>{NAME})(?P<where>\sin\s(?P<place>{PLACE}))?",
        "Has a {kin} named {person} who works at {org} {where}.",
        slot="relation.{kin}.{person}.work",
        exclusive=True,
        relationships=(("user", "has_{kin}", "person"), ("person", "works_at", "org")),
        anywhere=True,
        example=(
            "My sister Ana works at Siemens in Berlin.",
            "Has a sister named Ana who works at Siemens in Berlin.",
        ),
        counter="My sister Ana works at night.",
    ),
    rule(
        "kin_lives_in",
        rf"{_KIN_NAMED}(?:lives|is living|moved|has moved) (?:in|to)\s(?P<place>{PLACE})",
        "Has a {kin} named {person} who lives in {place}.",
        slot="relation.{kin}.{person}.home",
        exclusive=True,
        relationships=(("user", "has_{kin}", "person"), ("person", "lives_in", "place")),
        anywhere=True,
        example=("My brother Tom lives in Oslo.", "Has a brother named Tom who lives in Oslo."),
        counter="My brother Tom lives in fear.",
    ),
    rule(
        "pet_named",
        rf"\b(?:my|our|have an?|got an?|adopted an?)\s(?P<kind>{PET})(?:'s name is|,? (?:is )?(?:named|"
        rf"called)|,)?\s(?P<pet>(?-i:[^\W\d_a-z][\w-]+))(?=[,.;:!?)]|'s|\s|$)",
        "Has a {kind} named {pet}.",
        slot="pet.{pet}",
        relation="has_pet",
        anywhere=True,
        refuse=r"(?:I|I'm|And|But|So|OK|The|He|She|Which|Park|Food)\b",
        example=("By the way, my golden retriever, Max, needs a bed.", "Has a golden retriever named Max."),
        counter="My dog is hungry.",
    ),
    rule(
        "children",
        r"(?:i|we)(?: also)? have (?P<what>(?:an?|two|three|four|five|\d)\s(?:(?:young|small|little|grown|"
        r"teenage|adult|older|younger|twin|\w+-year-old)\s){0,2}(?:kids?|children|child|sons?|daughters?|"
        r"boys|girls|siblings?|sisters?|brothers?|dogs?|cats?|puppy|kitten|chickens|goats|horses?|"
        r"grandkids|grandchildren|toddlers?|baby)\b)",
        "Has {what}.",
        slot="family.{what}",
        example=("We have two young kids and a garden.", "Has two young kids."),
        counter="I have two questions.",
    ),
)
