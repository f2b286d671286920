"""Whom the user speaks of as theirs: family, colleagues, pets."""

from typing import Final

from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    AVOIDED,
    BOSS,
    CONDITION,
    DATE,
    DIET,
    END,
    FAMILY,
    KIN,
    NAME,
    NATIONALITY,
    OCCUPATION,
    PET,
    PHRASE,
    PLACE,
    TITLE,
    WORD_FOR_TWO,
)

_PERSON = r"(?P<person>(?-i:[^\W\d_a-z][\w'-]*[^\W\d_](?:\s[^\W\d_a-z][\w'-]+)?))"
_KIN_NAMED = (
    rf"\bmy (?P<kin>{KIN}),?\s(?:(?:named|called)\s)?{_PERSON},?\s(?:who )?(?:now |currently |also |still )?"
)

_ONE = r"(?-i:(?!I\b|And\b|But\b|The\b)[^\W\d_a-z][\w'-]+)"
_AGED = r"(?:\s\(\d{1,2}\))?"
"""An age behind a name: "Ella (7)"."""
_IS_SO = (
    rf"(?:(?:is|has been)\s(?:\w+ly\s)?(?:an?\s)?(?:allergic to\s{PHRASE}|{CONDITION}|{DIET}|"
    rf"left-handed|deaf|blind|retired|unemployed|divorced|married|in a wheelchair|"
    rf"(?:[\w-]+\s){{0,2}}?{OCCUPATION})|(?:has|suffers from|was diagnosed with|got diagnosed "
    rf"with)\s(?:an?\s)?(?:(?:peanut|nut|gluten|egg|dairy|pollen|cat|dog|shellfish|soy|wheat|milk) allergy|"
    rf"{CONDITION}|dementia|alzheimer's|parkinson's|(?:(?:breast|lung|skin|prostate|colon|ovarian|thyroid|"
    rf"blood) )?cancer|leukemia|lupus|multiple sclerosis|down syndrome)|(?:doesn't|does not|can't|cannot|"
    rf"must not|isn't allowed(?: to)?) (?:(?:eat|drink|tolerate)\s(?!it|that|this|them|any of|much|enough){PHRASE}|"
    rf"have\s{AVOIDED})|works (?:as|in|at a|for "
    rf"a)\s{PHRASE}|lives in\s{PLACE}|speaks (?-i:[A-Z])\w+|"
    rf"loves\s(?:to\s)?{PHRASE})(?=\s*(?:[.,;:!?)](?!\d)|$)|\s(?:and|but|so|which|because|since|who|at|in|"
    rf"from|with|last|this|when|after|recently|now|too|these|anymore|any|years?)\b)"
)
_KIN_IS = rf"(?P<what>{_IS_SO})"
_YEARS = (
    r"(?:is|has turned|just turned|turned|(?:will be|is turning)(?!\s\d{1,2}(?: years old)?\s(?:on|in|next|this)\b))"
    r"(?: now| already| only| just)?\s(?P<age>\d{1,2})"
    r"(?:[ -]years?[ -]old)?(?=\s*(?:[.,;!?)](?!\d)|$)|\s(?:and|now|but|so|years|this|next|in|last|"
    r"yesterday|today|on|already)\b)"
)
_KIN_FACTS: Final[tuple[Rule, ...]] = (
    rule(
        "kin_who",
        rf"\b(?:my|our) (?P<kin>{FAMILY}),?\swho\s(?!would|might|could|can\b|will|should|may|is (?:coming|here|now)|"
        rf"was|wants|said|told|"
        rf"asked|just|thinks|needs|keeps|gave|sent)(?P<what>(?:{_IS_SO}|(?:plays|collects|studies|hates|likes|enjoys|"
        rf"is into|is obsessed "
        rf"with|is learning|speaks|eats only|doesn't eat|can't eat)\s{PHRASE}))",
        "Has a {kin} who {what}.",
        slot="relation.{kin}.{what}",
        refuse=r".*\b(?:it|that|this|them|me)$",
        presupposed=True,
        example=("I need a gift for my brother who plays bass.", "Has a brother who plays bass."),
        counter="I need a gift for my brother who said so.",
    ),
    rule(
        "kin_of_a_diet",
        rf"\b(?:my|our) (?P<what>{DIET}|diabetic|celiac|coeliac|deaf|lactose[- ]intolerant|retired|"
        rf"autistic) (?P<kin>{FAMILY})\b",
        "Has a {kin} who is {what}.",
        slot="relation.{kin}.{what}",
        presupposed=True,
        example=("Can you suggest a recipe for my vegan wife?", "Has a wife who is vegan."),
        counter="Can you suggest a recipe for a vegan wife?",
    ),
    rule(
        "kin_is",
        rf"(?:my|our) (?P<kin>{FAMILY})\s{_KIN_IS}",
        "Has a {kin} who {what}.",
        slot="relation.{kin}.{what}",
        refuse=r".*\b(?:it|that|this|them|me)$",
        example=("My daughter is allergic to nuts.", "Has a daughter who is allergic to nuts."),
        counter="My daughter is happy.",
    ),
    rule(
        "kin_named_is",
        rf"(?:my|our) (?P<kin>{FAMILY}),?\s(?P<person>{_ONE}),?\s(?:who )?{_KIN_IS}",
        "Has a {kin} named {person} who {what}.",
        slot="relation.{kin}.{person}.{what}",
        relation="has_{kin}",
        refuse=r"lives in\b|.*\b(?:it|that|this|them|me)$",
        example=("My wife Anna is a nurse.", "Has a wife named Anna who is a nurse."),
        counter="My wife Anna is late.",
    ),
    rule(
        "kin_age",
        rf"(?:my|our) (?P<kin>{FAMILY})\s{_YEARS}",
        "Has a {kin} who is {age} years old.",
        slot="relation.{kin}.age",
        exclusive=True,
        example=("My son is 7 years old.", "Has a son who is 7 years old."),
        counter="My son is 7 minutes late.",
    ),
    rule(
        "kin_named_age",
        rf"(?:my|our) (?P<kin>{FAMILY}),?\s(?P<person>{_ONE}),?\s(?:who )?{_YEARS}",
        "Has a {kin} named {person} who is {age} years old.",
        slot="relation.{kin}.{person}.age",
        exclusive=True,
        relation="has_{kin}",
        example=("My son Leo is 4.", "Has a son named Leo who is 4 years old."),
        counter="My son Leo is 4 inches taller.",
    ),
)
NAMED_IS: Final[Rule] = rule(
    "named_is",
    rf"(?P<person>{_ONE})\s(?P<what>(?:is|has|was diagnosed with)\s(?:an?\s)?(?:{CONDITION}|{DIET}|deaf|"
    rf"blind|\d{{1,2}} (?:years|months) old|allergic to\s{PHRASE}|an? (?:[\w-]+\s){{0,2}}?{OCCUPATION})|"
    rf"(?:doesn't|can't) (?:eat\s{PHRASE}|have\s{AVOIDED})|lives in\s{PLACE})(?=[\s,.;:!?)]|$)",
    "{person} {what}.",
    slot="about.{person}.{what}",
    refuse=r".*\b(?:it|that|this|them|me)$",
    example=("We have two cats, Minka and Pepper. Pepper is diabetic.", "Pepper is diabetic."),
    counter="Pepper is diabetic.",
)
"""Said of someone whom the same turn introduced by name."""
_DIED = (
    r"(?:who |just |sadly |recently |suddenly |peacefully |unexpectedly |has |had |was |is |had to be )*(?:died|"
    r"passed "
    r"(?:away|on\b(?!\s(?:the|her|his|my|it|to)\b))|put down|put to sleep|killed|dead|deceased|no longer with us|"
    r"not with us any ?more|gone now)\b"
)
_NOT_DEAD = rf"(?!,?\s{_DIED})"
_ALSO_DIED = r"(?: who| sadly| recently| just| suddenly| has| peacefully){0,3}"
_PARENT = r"(?:dad|mum|mom|mama|papa|grandma|grandpa|granny|grandad|granddad|nana)"
_OF_WHEN = (
    r"(?:\s(?:of|from)\s(?!this\b|that\b|it\b)[a-z]+(?:\s(?:cancer|disease|attack|failure|age))?)?(?:\s(?:last|in|on|"
    r"when i was|this|yesterday|an?|a few|two|three|four|five|six|seven|eight|nine|ten|\d+)\b"
    r"(?!\s(?:me|us|him|her)\b)(?:\s(?!(?:and|but|so|was|is|had)\b)[\w']+){0,5}?)?"
)
_NAMED = (
    rf"(?:{TITLE}\.?\s)?(?!{TITLE}\b)(?-i:[^\W\d_a-z][\w'-]*[^\W\d_](?:\s[^\W\d_a-z][\w'-]+)?)(?<!'s)(?<!'S)"
)
_NO_NAME = (
    r"(?:I|I'm|I've|I'd|I'll|And|But|So|OK|Thanks|Also|Which|Who|He|She|We|They|The|In|On|At|"
    r"Please|Christmas|Day|Group|\w+day|January|February|April|June|July|August|September|October|November|"
    r"December)\b"
)

RELATIONS: Final[tuple[Rule, ...]] = (
    rule(
        "boss_named",
        rf"\bmy (?:(?:new|current) )?(?P<kin>{BOSS})(?:'s name is|,? (?:is )?(?:now )?(?:named|called)|,)?\s"
        rf"(?P<person>{_NAMED})(?=[,.;:!?)]|'s|\s|$)",
        "Has a {kin} named {person}.",
        slot="work.{kin}",
        exclusive=True,
        relation="has_{kin}",
        presupposed=True,
        refuse=_NO_NAME,
        example=("My manager Lisa asked me to set up webhooks.", "Has a manager named Lisa."),
        counter="I bought it for my boss.",
    ),
    rule(
        "kin_named",
        rf"\bmy (?P<kin>(?!(?:(?:new|current) )?{BOSS}\b){KIN})(?:\sfrom\s\w+)?(?:'s name is|,? (?:is )?(?:named|"
        rf"called)|"
        rf",)?\s(?P<person>{_NAMED})(?=[,.;:!?)]|'s|\s|$){_NOT_DEAD}",
        "Has a {kin} named {person}.",
        slot="relation.{kin}.{person}",
        relation="has_{kin}",
        presupposed=True,
        refuse=_NO_NAME,
        example=("My sister Lisa asked me to set up webhooks.", "Has a sister named Lisa."),
        counter="I bought it for my sister.",
    ),
    rule(
        "kin_called",
        rf"(?:i|we){ADVERB}(?:'ve| have)?{ADVERB} (?:have|got)\s(?:an?\s)(?P<kin>(?:[\w-]+\s)?{KIN})(?:(?:,| "
        rf"who(?:'s| "
        rf"is))?\s(?:named|called)\s|,\s(?={_ONE}\s?(?:[.,;!)]|$)))"
        rf"{_PERSON}(?=[,.;:!?)]|\s|$)(?P<more>(?:\swho\s(?:lives|works|is|studies)\s{PHRASE})?)",
        "Has a {kin} named {person} {more}.",
        slot="relation.{kin}.{person}",
        relation="has_{kin}",
        refuse=r"(?:who|\w+) .*\b(?:it|that|this|them|me)$|(?:Thanks|Please|OK|So|Also|Yes|No|Yeah|Sorry|\w+day)\b",
        confidence=0.9,
        example=("I have a son called Emil.", "Has a son named Emil."),
        counter="I have a son called away on business.",
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
        rf"\b(?:my|our|have an?|got an?|adopted an?|(?<=dog, )an?|(?<=cat, )an?|(?<=puppy, "
        rf")an?)\s(?P<kind>{PET})(?:'s name is|,? (?:is )?(?:named|"
        rf"called)|,)?\s(?P<pet>(?-i:[^\W\d_a-z][\w-]+))(?=[,.;:!?)]|'s|\s|$){_NOT_DEAD}",
        "Has a {kind} named {pet}.",
        slot="pet.{pet}",
        relation="has_pet",
        presupposed=True,
        refuse=r"(?:I|I'm|And|But|So|OK|The|He|She|Which|Park|Food)\b|(?:second|other|next)\b",
        example=("By the way, my golden retriever, Max, needs a bed.", "Has a golden retriever named Max."),
        counter="My dog is hungry.",
    ),
    rule(
        "pets_named",
        rf"(?:(?:i|we){ADVERB} have|(?:i|we)(?:'ve| have){ADVERB} got|(?:i|we){ADVERB} own|my|"
        rf"our)\s(?P<what>(?:{WORD_FOR_TWO}\s|both\s)?(?:\w+\s)?(?:cats|dogs|kittens|puppies|horses|rabbits|"
        rf"hamsters|guinea pigs|birds|parrots|budgies|goats|chickens|turtles|snakes|ferrets|rats|retrievers|"
        rf"terriers))(?:,|:| -)?\s(?:named |called |\()?(?P<pets>{_ONE}(?:,\s{_ONE}){{0,3}},? (?:and|&) "
        rf"{_ONE})(?=[\s,.;:!?)]|$)",
        "Has {what} named {pets}.",
        slot="pet.{pets}",
        relation="has_pet",
        confidence=0.9,
        example=("We have two cats, Minka and Pepper.", "Has two cats named Minka and Pepper."),
        counter="We have two cats and a dog.",
    ),
    rule(
        "children_named",
        rf"(?:(?:i|we){ADVERB} have|(?:i|we)(?:'ve| have){ADVERB} got|my|"
        rf"our)\s(?P<what>(?:{WORD_FOR_TWO}\s)?(?:\w+\s)?(?:kids|children|sons|daughters|boys|girls|sisters|"
        rf"brothers|siblings|twins|nieces|nephews|grandchildren|grandkids|parents|roommates|flatmates))(?:,|"
        rf":| -| are)?\s(?:named |called |\()?(?P<people>{_ONE}{_AGED}(?:,\s{_ONE}{_AGED}){{0,3}},? (?:and|&) "
        rf"{_ONE}{_AGED})(?=[\s,.;:!?)]|$)",
        "Has {what} named {people}.",
        slot="family.{what}",
        relation="has_family_member",
        confidence=0.9,
        refuse=rf"{NATIONALITY}\b|(?:Catholic|Christian|Jewish|Muslim|Hindu|Buddhist)\b",
        example=("My kids Emma and Leo are here.", "Has kids named Emma and Leo."),
        counter="My kids and I are here.",
    ),
    *_KIN_FACTS,
    rule(
        "kin_born",
        rf"(?:my|our) (?P<kin>{FAMILY})(?:,?\s{_ONE},?)? was born (?P<when>(?:on\s)?{DATE})",
        "Has a {kin} who was born {when}.",
        slot="relation.{kin}.born",
        exclusive=True,
        example=("Our son was born on 3 March.", "Has a son who was born on 3 March."),
        counter="Our son was born early.",
    ),
    rule(
        "kin_died",
        rf"(?:(?:my|our) (?P<kin>{KIN}|parents)|(?P<parent>{_PARENT})){_ALSO_DIED} (?P<how>died|passed away)"
        rf"(?P<when>{_OF_WHEN}){END}",
        "{kin}{parent} {how} {when}.",
        slot="relation.{kin}{parent}.died",
        exclusive=True,
        example=("My mom died last year.", "Mom died last year."),
        counter="My phone died last year.",
    ),
    rule(
        "kin_named_died",
        rf"(?:my|our) (?P<kin>{KIN}),?\s(?P<person>(?!{TITLE}\b){_ONE}(?:\s{_ONE})?),?{_ALSO_DIED} (?P<how>died|"
        rf"passed away)"
        rf"(?P<when>{_OF_WHEN}){END}",
        "{kin} {person} {how} {when}.",
        slot="relation.{kin}.{person}.died",
        exclusive=True,
        example=("My wife Ruth passed away two years ago.", "Wife Ruth passed away two years ago."),
        counter="My wife Ruth passed her test two years ago.",
    ),
    rule(
        "had_baby",
        rf"(?:i|we){ADVERB} (?:had|got|welcomed|gave birth to)\s(?P<what>an? (?:baby )?(?:boy|girl|son|"
        rf"daughter)|twins)(?=\s*(?:[.,;!)]|$)|\s(?:and|named|called|last|in|on|yesterday|this|two)\b)",
        "Has {what}.",
        slot="family.baby",
        example=("We just had a baby girl last week.", "Has a baby girl."),
        counter="We had a girl scout here.",
    ),
    rule(
        "parents_live_in",
        rf"my (?P<kin>parents|grandparents|in-laws|children|kids|brothers|sisters) live "
        rf"in\s(?P<place>{PLACE})",
        "Has {kin} who live in {place}.",
        slot="relation.{kin}.home",
        exclusive=True,
        refuse=r"(?:Fear|Peace)\b",
        example=("My parents live in Rome.", "Has parents who live in Rome."),
        counter="My parents live in fear.",
    ),
    rule(
        "parent_of",
        rf"{AM}{ADVERB} (?:an?|the) (?P<what>(?:single |proud |stay-at-home )?(?:mom|mum|mother|dad|father|"
        rf"parent) of (?:an? \w+|one|two|three|four|five|\d)(?: (?:kids|children|boys|girls|sons|daughters|"
        rf"twins|toddlers))?)(?=[\s,.;!)]|$)",
        "Is a {what}.",
        slot="family.parent",
        exclusive=True,
        example=("I'm a mom of three.", "Is a mom of three."),
        counter="I'm the mother of dragons.",
    ),
    rule(
        "pet_died",
        rf"\b(?:my|our) (?P<kind>{PET})(?:,?\s(?P<pet>(?-i:[^\W\d_a-z][\w-]+)),?)?\s{_DIED}",
        "{kind} {pet} died.",
        slot="pet.died.{kind}{pet}",
        anywhere=True,
        example=("My dog Max died last week.", "Dog Max died."),
        counter="My dog nearly died.",
    ),
    rule(
        "pet_put_down",
        rf"(?:i|we){ADVERB} (?:had to )?(?:put|have) (?:my|our) "
        rf"(?P<kind>{PET})(?:,?\s(?P<pet>(?-i:[^\W\d_a-z][\w-]+)),?)? (?:down|to sleep|put down|"
        rf"euthani[sz]ed)\b",
        "{kind} {pet} was put down.",
        slot="pet.died.{kind}{pet}",
        example=("We had to put our cat Misty to sleep.", "Cat Misty was put down."),
        counter="We had to put our cat outside.",
    ),
    rule(
        "people_named",
        rf"\b(?:my|our) (?P<what>(?:(?:best|close|good|old|college|school|work) )?(?:friends|colleagues|"
        rf"coworkers|co-workers|cousins|neighbou?rs|kids|children|sons|daughters|brothers|sisters|roommates|"
        rf"flatmates|nephews|nieces|parents|grandparents|bosses|teammates|twins|grandkids|bandmates))(?:,|"
        rf":)?\s(?:named |called )?(?P<people>{_ONE}(?:,\s{_ONE}){{0,3}},? (?:and|&) {_ONE})"
        rf"(?=[\s,.;:!?)]|$)",
        "Has {what} named {people}.",
        slot="people.{what}",
        relation="knows",
        presupposed=True,
        example=("We went there with my friends Rachel and Mike.", "Has friends named Rachel and Mike."),
        counter="We went there with my friends and Mike.",
    ),
)
