"""What the user says of their relatives and pets: age, work, home, school, likes."""

from typing import Final

from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    CONDITION,
    DATE,
    DIET,
    FAMILY,
    NATIONALITY,
    OCCUPATION,
    PET,
    PHRASE,
    PLACE,
)

_ONE = r"(?-i:(?!I\b|And\b|But\b|The\b)[^\W\d_a-z][\w'-]+)"
_KIN = (
    rf"(?:{FAMILY}|(?:best|close|good|old) friend|boss|manager|landlord|landlady|neighbou?r|parents|friend)"
)
_MANY = (
    r"(?:kids|children|sons|daughters|boys|girls|twins|parents|grandparents|in-laws|brothers|sisters|"
    r"siblings|"
    r"roommates|flatmates|grandkids|grandchildren|nephews|nieces)"
)
_SCHOOL = (
    r"(?:(?:the\s)?(?:\w+\s)?grade|year \d+|kindergarten|preschool|daycare|nursery|primary school|"
    r"elementary school|"
    r"middle school|high school|college|university|uni|law school|med(?:ical)? school|grad(?:uate)? school|"
    r"the (?:army|navy|air force|military|marines|police)|rehab|a (?:wheelchair|nursing home|care home|band|"
    r"choir))"
)
_GAMES = (
    r"(?:the\s)?(?:football|soccer|tennis|basketball|baseball|volleyball|hockey|lacrosse|rugby|cricket|"
    r"chess|golf|guitar|"
    r"piano|violin|drums|cello|flute|trumpet|saxophone|minecraft|fortnite|roblox|video games)"
)
_THEM = r".*\b(?:it|that|this|them|me|you|him|her|here|there)$"
_DOES = (
    rf"(?P<what>(?:is|was) (?:born in|(?:originally )?from)\s{PLACE}"
    rf"|is (?:half[- ])?{NATIONALITY}"
    rf"|(?:is|just turned|turned|turns|will be|will turn)\s\d{{1,2}}(?:\syears? old)?\s(?:on\s)?{DATE}"
    rf"|is (?:now |currently |also |still |really |very |super |so |big |totally |a )*(?:into|obsessed with|"
    rf"crazy about|(?:big |huge )?fan of|afraid of|scared of|terrified of|addicted to)\s{PHRASE}"
    rf"|(?:really |absolutely |also |just )?(?:loves|likes|hates|dislikes|adores|enjoys|collects|prefers|"
    rf"teaches|"
    rf"studies|speaks|drives|owns|runs|breeds)\s(?!to\s(?:see|hear|talk|know|come)){PHRASE}"
    rf"|(?:just |recently )?(?:started|starts|is starting|is in|is going to|goes to|attends|finished|"
    rf"graduated from|"
    rf"dropped out of|joined)\s{_SCHOOL}(?:\s(?:in|at|this|last|next)\s{PHRASE})?"
    rf"|(?:is|was|has) (?:\w+ly )?(?:studying|majoring in)\s{PHRASE}"
    rf"|(?:plays|play|is learning)\s{_GAMES}(?:\s(?:on|in|for|every|at)\s{PHRASE})?"
    rf"|works (?:at|for|in|as|from|with|nights|part[- ]time)\b(?:\s{PHRASE})?"
    rf"|(?:just |recently )?(?:moved|is moving|relocated) to\s{PLACE}"
    rf"|(?:just |recently )?(?:had|gave birth to|adopted|is expecting|is having)\s(?:a |an? \w+ |their "
    rf")?(?:baby|"
    rf"twins|boy|girl|son|daughter)(?:\s(?:boy|girl))?"
    rf"|(?:just |recently )?(?:got|is getting|gets) (?:married|divorced|engaged|"
    rf"remarried)(?:\s(?:on\s)?{DATE})?"
    rf"|(?:is|was) (?:currently |now )?(?:a (?:freshman|sophomore|junior|senior|widow|widower|vet(?:eran)?|"
    rf"twin)|"
    rf"in college|abroad|adopted|autistic|left[- ]handed|colou?r-?blind|transgender|nonbinary|gay|lesbian|"
    rf"trans|"
    rf"vegan|vegetarian|pregnant|sober|hard of hearing)"
    rf"|(?:doesn't|does not|can't|cannot|won't) (?:eat|drink|like|drive|speak|smoke|swim)\b(?:\s{PHRASE})?)"
)
_STOP = r"(?=\s*(?:[,.;:!?)](?!\d)|$)|\s(?:and|but|so|which|because|since|who|when|if)\b)"
_THEY = (
    rf"(?P<what>(?:are|just turned|turn)\s\d{{1,2}}(?:(?:, \d{{1,2}})*,? and \d{{1,2}})?(?:\syears? old)?"
    rf"|are (?:both |all |now |currently |still )?(?:divorced|separated|retired|married|{DIET}|grown(?: up)?|"
    rf"teenagers|toddlers|adults|adopted|autistic|twins|allergic to\s{PHRASE}|(?:originally )?from\s{PLACE}|"
    rf"in\s{_SCHOOL}|{NATIONALITY}|{OCCUPATION}s|into\s{PHRASE}|scared of\s{PHRASE})"
    rf"|(?:both |all |also |really )?(?:love|hate|like|collect|speak|own|run|attend|go to\s(?!the\b|bed\b|"
    rf"sleep\b))"
    rf"\s?(?!to\s){PHRASE}"
    rf"|(?:both )?play\s{_GAMES}|(?:both )?(?:work|study) (?:at|for|in|as)\s{PHRASE}"
    rf"|(?:both |just )?(?:moved|immigrated|emigrated) (?:to|from)\s{PLACE}"
    rf"|have (?:been married|lived)\s(?:for|in|since)\s{PHRASE}"
    rf"|(?:don't|do not|can't|cannot) (?:eat|drink|like|speak)\s{PHRASE})"
)
_PART = (
    r"(?:walk\w*|beds?|food|park|allerg\w+|sitters?|doors?|scouts?|books?|room|friend\w*|toys?|shows?|"
    r"person|lover|"
    r"house|tree|phobia|appointment|shower|monitor|gate|seat|carrier|crate|school|soup|videos?|at heart|"
    r"question|problem|"
    r"issue)\b"
)
"""What makes the word before it part of another thing: "a dog bed"."""
_BREEDS = (
    r"(?:retriever|labrador|lab|poodle|beagle|terrier|bulldog|corgi|husky|shepherd|dachshund|chihuahua|"
    r"siamese|tabby|"
    r"maine coon|persian|ragdoll|bengal|spaniel|collie|boxer|rottweiler|mastiff|great dane|dalmatian|pug|"
    r"shih tzu|"
    r"maltese|pomeranian|greyhound|whippet|mutt|mix|rescue|puppy|kitten|senior|stray|malamute|samoyed|doodle|"
    r"goldendoodle|labradoodle|schnauzer|pointer|setter|hound|pitbull|pit bull)"
)
_ANIMAL_IS = (
    rf"(?P<what>is (?:now |only |about |almost |already )?(?:an? )?\d{{1,2}}[- ](?:years?|months?|"
    rf"weeks?)[- ]old"
    rf"(?:\s(?:[\w-]+\s){{0,3}}?{_BREEDS}(?:\smix)?)?"
    rf"|(?:is|was) (?:an?|part)\s(?:[\w-]+\s){{0,4}}?{_BREEDS}(?:\smix)?"
    rf"|is (?:allergic to\s{PHRASE}|{CONDITION}|deaf|blind|(?:scared|afraid|terrified) of\s{PHRASE})"
    rf"|has (?:an? )?(?:{CONDITION}|(?:\w+ )?allerg(?:y|ies)|cancer|three legs|one eye|(?:hip )?dysplasia|"
    rf"kidney disease)"
    rf"|(?:loves|hates|only eats|won't eat|doesn't like|is obsessed with)\s{PHRASE}"
    rf"|just turned \d{{1,2}}|sleeps (?:on|in)\s{PHRASE})"
)

FAMILY_FACTS: Final[tuple[Rule, ...]] = (
    rule(
        "kin_does",
        rf"(?:my|our) (?P<kin>{_KIN})\s{_DOES}{_STOP}",
        "Has a {kin} who {what}.",
        slot="relation.{kin}.{what}",
        confidence=0.8,
        refuse=_THEM,
        example=("My sister is really into fashion.", "Has a sister who is really into fashion."),
        counter="My sister is into it.",
    ),
    rule(
        "kin_named_does",
        rf"(?:my|our) (?P<kin>{_KIN}),?\s(?P<person>{_ONE}),?\s(?:who )?{_DOES}{_STOP}",
        "Has a {kin} named {person} who {what}.",
        slot="relation.{kin}.{person}.{what}",
        confidence=0.8,
        relation="has_{kin}",
        refuse=rf"works at|{_THEM}",
        example=(
            "My son Leo plays soccer on Saturdays.",
            "Has a son named Leo who plays soccer on Saturdays.",
        ),
        counter="My son Leo plays a trick on me.",
    ),
    rule(
        "kin_many",
        rf"(?:my|our) (?P<kin>(?:two |three |four |older |younger |twin |little )*{_MANY})\s{_THEY}{_STOP}",
        "Has {kin} who {what}.",
        slot="relation.{kin}.{what}",
        confidence=0.8,
        refuse=_THEM,
        example=("My kids are 5 and 9.", "Has kids who are 5 and 9."),
        counter="My kids are late.",
    ),
    rule(
        "kin_is_named",
        rf"my (?P<kin>boss|manager|supervisor|team lead|mentor|landlord|landlady|doctor|dentist|therapist|"
        rf"partner|wife|husband|girlfriend|boyfriend|best friend|roommate|flatmate|neighbou?r|advisor|"
        rf"supervisor) is\s"
        rf"(?P<person>(?!{NATIONALITY}\b|\w+(?:day|ish|ian)\b)(?:(?-i:Dr|Mr|Mrs|Ms|"
        rf"Prof)\.?\s)?{_ONE}(?:\s{_ONE})?)"
        rf"(?=\s*(?:[,;!]|\.(?!\w)|$)|\s(?:and|from|at|who)\b)",
        "Has a {kin} named {person}.",
        slot="relation.{kin}.{person}",
        relation="has_{kin}",
        refuse=r"(?:I|OK|Okay|Not|Very|Catholic|Jewish|Muslim|Christian|Hindu|Buddhist|CEO|CTO|VP|HR|IT)\b",
        example=("My manager is Priya.", "Has a manager named Priya."),
        counter="My manager is Irish.",
    ),
    rule(
        "kin_date",
        rf"my (?P<kin>{_KIN})'s (?P<what>birthday|wedding|graduation|anniversary|surgery|due date)\s(?:is|"
        rf"falls)\s"
        rf"(?:on\s)?(?P<when>{DATE})",
        "{what} of their {kin} is {when}.",
        slot="relation.{kin}.{what}",
        exclusive=True,
        example=("My mom's birthday is on May 4.", "Birthday of their mom is May 4."),
        counter="My mom's birthday is a big thing.",
    ),
    rule(
        "married_for",
        rf"(?:(?:me and )?my (?:wife|husband)(?: and (?:i|me))?|i|we)(?:'ve| have| got| were)?(?: all)? "
        rf"(?:been married|married)\s(?P<when>(?:for|since)\s{PHRASE})",
        "Is married, {when}.",
        slot="identity.marital_status",
        exclusive=True,
        refuse=r"for (?:money|love|fear)\b",
        example=(
            "My husband and I have been married for 12 years.",
            "Is married, for 12 years.",
        ),
        counter="We were married to the idea.",
    ),
    rule(
        "pet_is",
        rf"(?:my|our) (?P<kind>{PET})\s{_ANIMAL_IS}{_STOP}",
        "Has a {kind} who {what}.",
        slot="pet.{kind}.{what}",
        refuse=_THEM,
        example=("My dog is a 4 year old beagle.", "Has a dog who is a 4 year old beagle."),
        counter="My dog is a mess.",
    ),
    rule(
        "pet_named_is",
        rf"(?:my|our) (?P<kind>{PET}),?\s(?P<pet>{_ONE}),?\s(?:who )?{_ANIMAL_IS}{_STOP}",
        "Has a {kind} named {pet} who {what}.",
        slot="pet.{pet}.{what}",
        relation="has_pet",
        refuse=rf"(?:Park|Food)\b|{_THEM}",
        example=(
            "My dog Biscuit is allergic to chicken.",
            "Has a dog named Biscuit who is allergic to chicken.",
        ),
        counter="My dog Biscuit is late.",
    ),
    rule(
        "relatives",
        rf"(?:i|we)(?: also)?(?:'ve| have)?(?: have| got)? (?P<what>(?:(?:only )?(?:an?|one|two|three|four|"
        rf"five|six|\d)\s"
        rf"(?:(?:young|small|little|grown|grown-up|teenage|adult|older|younger|big|twin|foster|adopted|"
        rf"rescue|"
        rf"\d{{1,2}}[- ](?:year|month|week)[- ]old|\w+-year-old|baby)\s){{0,2}}(?:kids?|children|child|"
        rf"sons?|daughters?|"
        rf"boys?|girls?|siblings?|sisters?|brothers?|stepsons?|stepdaughters?|dogs?|cats?|puppy|puppies|"
        rf"kittens?|"
        rf"rabbits?|horses?|hens|chickens|grandkids|grandchildren|toddlers?|baby|newborn|teenagers?|"
        rf"cousins?|nieces?|"
        rf"nephews?|\d{{1,2}}[- ](?:year|month)[- ]olds?)(?!\s{_PART})"
        rf"(?:,\s|,? and\s|,? (?:in|from|at|who (?:lives|works|is|are|live)|aged|ages)\s(?!the\b){PHRASE}$|"
        rf"(?=[\s,.;!]|$)))"
        rf"{{1,4}})(?=[\s,.;!]|$)",
        "Has {what}.",
        slot="family.{what}",
        refuse=r".*\b(?:friends?|who is|who are)$",
        example=("I have two brothers and a sister.", "Has two brothers and a sister."),
        counter="I have two questions and a note.",
    ),
)
