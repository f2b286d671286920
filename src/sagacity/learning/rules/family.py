"""What the user says of their relatives and pets: age, work, home, school, likes."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    BOSS,
    CONDITION,
    DATE,
    DIET,
    END,
    FAMILY,
    NATIONALITY,
    OCCUPATION,
    PET,
    PHRASE,
    PLACE,
    WE_ARE,
    WORD_FOR_TWO,
)

_ONE = r"(?-i:(?!I\b|And\b|But\b|The\b)[^\W\d_a-z][\w'-]+)"
_KIN = (
    rf"(?:{FAMILY}|(?:best|close|good|old) friend|boss|manager|landlord|landlady|neighbou?r|parents|friend)"
)
_MANY = (
    r"(?:kids|children|sons|daughters|boys|girls|twins|parents|grandparents|in-laws|brothers|sisters|"
    r"siblings|roommates|flatmates|grandkids|grandchildren|nephews|nieces)"
)
_SCHOOL = (
    r"(?:(?:the\s)?(?:\w+\s)?grade|year \d+|kindergarten|preschool|daycare|nursery|primary school|elementary "
    r"school|middle school|high school|college|university|uni|law school|med(?:ical)? school|grad(?:uate)? "
    r"school|the (?:army|navy|air force|military|marines|police)|rehab|a (?:wheelchair|nursing home|care "
    r"home|band|choir))"
)
_GAMES = (
    r"(?:the\s)?(?:football|soccer|tennis|basketball|baseball|volleyball|hockey|lacrosse|rugby|cricket|chess|"
    r"golf|guitar|piano|violin|drums|cello|flute|trumpet|saxophone|minecraft|fortnite|roblox|video games)"
)
_THEM = r".*\b(?:it|that|this|them|me|you|him|her|here|there)$"
_DOES = (
    rf"(?P<what>(?:is|was) (?:born in|(?:originally )?from)\s{PLACE}|is (?:half[- ])?{NATIONALITY}|(?:is|"
    rf"just turned|turned|turns|is turning|will be|will turn)\s\d{{1,2}}(?:\syears? old)?\s(?:on\s)?{DATE}|is (?:now |"
    rf"currently |also |still |really |very |super |so |big |totally |a )*(?:into|obsessed with|crazy about|"
    rf"(?:big |huge )?fan of|afraid of|scared of|terrified of|addicted to)\s{PHRASE}|(?:really |absolutely |"
    rf"also |just )?(?:loves|likes|hates|dislikes|adores|enjoys|collects|prefers|teaches|studies|speaks|"
    rf"drives|owns|runs|breeds)\s(?!to\s(?:see|hear|talk|know|come)){PHRASE}|(?:just |recently )?(?:started|"
    rf"starts|is starting|is in|is going to|goes to|attends|finished|graduated from|dropped out of|"
    rf"joined)\s{_SCHOOL}(?:\s(?:in|at|this|last|next)\s{PHRASE})?|(?:is|was|has) (?:\w+ly )?(?:studying|"
    rf"majoring in)\s{PHRASE}|(?:plays|play|is learning)\s{_GAMES}(?:\s(?:on|in|for|every|at)\s{PHRASE})?|"
    rf"works (?:nights|weekends|shifts|night shifts|part[- ]time|full[- ]time|remotely|from home)|works (?:at|for|"
    rf"in|as|from|"
    rf"with|nights|part[- ]time)\b(?:\s{PHRASE})?|(?:never|always|usually|only|mostly|rarely|hardly ever|also)"
    rf" (?:eats|drinks|"
    rf"works|cooks|plays|drives|wears|watches|reads|sleeps|travels|flies|uses|speaks|buys|takes|goes|gets up|"
    rf"wakes up)\b"
    rf"(?:\s{PHRASE})?|(?:uses|wears|needs|takes) (?:an?\s)?(?:walker|wheelchair|cane|walking stick|hearing aids?|"
    rf"glasses|inhaler|"
    rf"insulin|\w+ medication|oxygen)|is (?:(?:very|super|really|quite|a bit|pretty|so|extremely) )?(?:picky|fussy|"
    rf"strict|shy|"
    rf"dyslexic|anxious|forgetful|hyperactive|gifted|musical|sporty|religious|disabled|stubborn|sensitive)"
    rf"(?:\s(?:about|with|to)\s{PHRASE})?|(?:just |recently )?(?:moved|is "
    rf"moving|relocated) to\s{PLACE}|(?:just |recently )?(?:had|gave birth to|adopted|is expecting|is "
    rf"having)\s(?:a |an? \w+ |their )?(?:baby|twins|boy|girl|son|daughter)(?:\s(?:boy|girl))?|(?:just |"
    rf"recently )?(?:got|is getting|gets) (?:married|divorced|engaged|remarried)(?:\s(?:on\s)?{DATE})?|(?:is|"
    rf"was) (?:currently |now )?(?:a (?:freshman|sophomore|junior|senior|widow|widower|vet(?:eran)?|twin)|in "
    rf"college|abroad|adopted|autistic|left[- ]handed|colou?r-?blind|transgender|nonbinary|gay|lesbian|trans|"
    rf"vegan|vegetarian|pregnant|sober|hard of hearing)|(?:doesn't|does not|can't|cannot|won't) (?:eat|drink|"
    rf"like|drive|speak|smoke|swim|touch(?=\s(?!it\b|that\b|this\b)\w)|stand for long)\b(?:\s{PHRASE})?|has (?:an? )?"
    rf"(?:bad|weak|new|artificial|replaced|sore)\s(?:left |right )?(?:hips?|knees?|back|heart|eyes|eyesight|hearing|"
    rf"legs?|"
    rf"feet|shoulders?))"
)
_STOP = r"(?=\s*(?:[,.;:!?)](?!\d)|$)|\s(?:and|but|so|which|because|since|who|when|if)\b)"
_THEY = (
    rf"(?P<what>(?:are|just turned|turn)\s\d{{1,2}}(?:(?:, \d{{1,2}})*,? and \d{{1,2}})?(?:\syears? old)?|"
    rf"are (?:both |all |now |currently |still )?(?:divorced|separated|retired|married|{DIET}|grown(?: up)?|"
    rf"teenagers|toddlers|adults|adopted|autistic|twins|allergic to\s{PHRASE}|(?:originally )?from\s{PLACE}|"
    rf"in\s{_SCHOOL}|{NATIONALITY}|{OCCUPATION}s|into\s{PHRASE}|scared of\s{PHRASE})|(?:both |all |also |"
    rf"really )?(?:love|hate|like|collect|speak|own|run|attend|go to\s(?!the\b|bed\b|"
    rf"sleep\b))\s?(?!to\s){PHRASE}|(?:both )?play\s{_GAMES}|(?:both )?(?:work|study) (?:at|for|in|"
    rf"as)\s{PHRASE}|(?:both |just )?(?:moved|immigrated|emigrated) (?:to|from)\s{PLACE}|have (?:been "
    rf"married|lived)\s(?:for|in|since)\s{PHRASE}|(?:don't|do not|can't|cannot) (?:eat|drink|like|"
    rf"speak)\s{PHRASE})"
)
_PART = (
    r"(?:walk\w*|beds?|food|park|allerg\w+|sitters?|doors?|scouts?|books?|room|friend\w*|toys?|shows?|person|"
    r"lover|house|tree|phobia|appointment|shower|monitor|gate|seat|carrier|crate|school|soup|videos?|at "
    r"heart|on the way|question|problem|issue)\b"
)
"""What makes the word before it part of another thing: "a dog bed"."""
_BREEDS = (
    r"(?:retriever|labrador|lab|poodle|beagle|terrier|bulldog|corgi|husky|shepherd|dachshund|chihuahua|"
    r"siamese|tabby|maine coon|persian|ragdoll|bengal|spaniel|collie|boxer|rottweiler|mastiff|great dane|"
    r"dalmatian|pug|shih tzu|maltese|pomeranian|greyhound|whippet|mutt|mix|rescue|puppy|kitten|senior|stray|"
    r"malamute|samoyed|doodle|goldendoodle|labradoodle|schnauzer|pointer|setter|hound|pitbull|pit bull)"
)
_ANIMAL_IS = (
    rf"(?P<what>is (?:now |only |about |almost |already )?\d{{1,2}}(?=\s*(?:[.,;!)]|$)|\s(?:and|but|so|now)\b)|"
    rf"is (?:now |only |about |almost |already )?(?:an? )?\d{{1,2}}[- ](?:years?|months?|"
    rf"weeks?)[- ]old(?:\s(?:[\w-]+\s){{0,3}}?{_BREEDS}(?:\smix)?)?|(?:is|was) (?:an?|"
    rf"part)\s(?:[\w-]+\s){{0,4}}?{_BREEDS}(?:\smix)?|is (?:allergic to\s{PHRASE}|{CONDITION}|deaf|blind|"
    rf"(?:scared|afraid|terrified) of\s{PHRASE})|has (?:an? )?(?:{CONDITION}|(?:\w+ )?allerg(?:y|ies)|cancer|"
    rf"three legs|one eye|(?:hip )?dysplasia|(?:kidney|heart|liver|hip|joint|stomach|skin|thyroid|dental) (?:disease|"
    rf"problems?|issues?|failure|trouble))|(?:loves|hates|only eats|won't eat|doesn't like|"
    rf"is obsessed with)\s{PHRASE}|just turned \d{{1,2}}|sleeps (?:on|in)\s{PHRASE})"
)

_SOMEBODY = (
    rf"(?P<person>(?!{NATIONALITY}\b|\w+(?:day|ish|ian)\b)(?:(?-i:Dr|Mr|Mrs|Ms|"
    rf"Prof)\.?\s)?{_ONE}(?:\s{_ONE})?)(?=\s*(?:[,;!]|\.(?!\w)|$)|\s(?:and|from|at|who)\b)"
)
_NO_ONE = r"(?:I|OK|Okay|Not|Very|Catholic|Jewish|Muslim|Christian|Hindu|Buddhist|CEO|CTO|VP|HR|IT)\b"

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
        "boss_is",
        rf"my (?:(?:new|current) )?(?P<kin>{BOSS}|team lead)(?: is|'s)(?: now)?\s{_SOMEBODY}",
        "Has a {kin} named {person}.",
        slot="work.{kin}",
        exclusive=True,
        relation="has_{kin}",
        refuse=_NO_ONE,
        example=("My new boss is Karen.", "Has a boss named Karen."),
        counter="My new boss is Irish.",
    ),
    rule(
        "colleague_is",
        rf"(?:my|our) (?:(?:new|current) )?(?P<kin>(?:tech|engineering|product|project|design|account|office|hiring|"
        rf"team|programme|program)\s(?:lead|manager|owner)|cto|ceo|cfo|coo|scrum master|head of \w+|accountant|lawyer|"
        rf"tutor|personal trainer|vet|nanny|babysitter)(?: is|'s| is (?:named|called))(?: now)?\s(?!{_NO_ONE})"
        rf"{_SOMEBODY}",
        "Has a {kin} named {person}.",
        slot="work.{kin}",
        exclusive=True,
        relation="has_{kin}",
        example=("My tech lead is Raj.", "Has a tech lead named Raj."),
        counter="My tech lead is Irish.",
    ),
    rule(
        "is_boss",
        rf"(?P<person>{_ONE}(?:\s{_ONE})?) is (?:now )?my (?:(?:new|current) )?(?P<kin>{BOSS}|team lead){END}",
        "Has a {kin} named {person}.",
        slot="work.{kin}",
        exclusive=True,
        relation="has_{kin}",
        refuse=rf"{_NO_ONE}|(?:He|She|It|This|That|They|Who|What|There|Here|Money|God|So|Anxiety|Life)\b",
        example=("Karen is my new boss.", "Has a boss named Karen."),
        counter="He is my new boss.",
    ),
    rule(
        "kin_is_named",
        rf"my (?P<kin>mentor|landlord|landlady|doctor|dentist|therapist|"
        rf"partner|wife|husband|girlfriend|boyfriend|best friend|roommate|flatmate|neighbou?r|advisor)"
        rf" is\s{_SOMEBODY}",
        "Has a {kin} named {person}.",
        slot="relation.{kin}.{person}",
        relation="has_{kin}",
        refuse=_NO_ONE,
        example=("My landlord is Priya.", "Has a landlord named Priya."),
        counter="My landlord is Irish.",
    ),
    rule(
        "kin_date",
        rf"my (?P<kin>{_KIN})'s (?P<what>birthday|wedding|graduation|anniversary|surgery|due date)\s(?:is|"
        rf"falls)\s(?:on\s)?(?P<when>{DATE})",
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
        rf"five|six|\d)\s(?:(?:young|small|little|grown|grown-up|teenage|adult|older|younger|big|twin|"
        rf"foster|adopted|rescue|\d{{1,2}}[- ](?:year|month|week)[- ]old|\w+-year-old|"
        rf"baby)\s){{0,2}}(?:kids?|children|child|sons?|daughters?|boys?|girls?|siblings?|sisters?|"
        rf"brothers?|stepsons?|stepdaughters?|dogs?|cats?|puppy|puppies|kittens?|rabbits?|horses?|hens|"
        rf"chickens|grandkids|grandchildren|toddlers?|baby|newborn|teenagers?|cousins?|nieces?|nephews?|"
        rf"\d{{1,2}}[- ](?:year|month)[- ]olds?)(?!\s{_PART})(?:,\s|,? and\s|,? (?:in|from|at|who (?:lives|"
        rf"works|is|are|live)|aged|ages)\s(?!the\b){PHRASE}$|(?=[\s,.;!]|$))){{1,4}})(?=[\s,.;!]|$)",
        "Has {what}.",
        slot="family.{what}",
        refuse=r".*\b(?:friends?|who is|who are)$",
        example=("I have two brothers and a sister.", "Has two brothers and a sister."),
        counter="I have two questions and a note.",
    ),
    rule(
        "kin_was",
        rf"(?:my|our) (?P<kin>{_KIN})\s(?P<what>(?:was|is) (?:in|with)\s{_SCHOOL}(?:\s(?:in|"
        rf"for)\s{PHRASE})?|was an?\s(?:[\w-]+\s){{0,3}}?(?:{OCCUPATION}|smoker|twin|pilot|veteran|"
        rf"immigrant)|fought in\s{PHRASE}|served in\s{PHRASE}|survived\s{PHRASE}|used to (?:be|work|live|"
        rf"teach|play|own|run)\s{PHRASE}|wants to (?:be an?|become|study|learn|move to)\s{PHRASE}|(?:lives|"
        rf"is living) (?:with|near|next|in|on|abroad|alone|by|across|nearby|far)\b(?:\s{PHRASE})?|raised "
        rf"me\b(?:\s{PHRASE})?|taught me\s{PHRASE}|is (?:visiting|staying with us|coming to (?:visit|"
        rf"stay))\b(?:\s{PHRASE})?|passed (?:his|her|their)\s{PHRASE}|(?:got|won|lost) (?:a|an|the|his|"
        rf"her)\s{PHRASE}){_STOP}",
        "Has a {kin} who {what}.",
        slot="relation.{kin}.{what}",
        confidence=0.75,
        refuse=(
            rf"lives (?:in fear|with it)|{_THEM}|got (?:a|the) (?:message|call|email|idea|cold|chance)|lost "
            rf"(?:it|the)\b|won (?:the|an?) (?:argument|fight|bet)\b"
        ),
        example=("My uncle was in the navy.", "Has an uncle who was in the navy."),
        counter="My uncle was in a hurry.",
    ),
    rule(
        "lost_kin",
        rf"(?:i|we){ADVERB} lost (?:my|our) (?P<kin>{FAMILY}|dog|cat|horse|parents)(?P<when>(?:\s(?:to\s\w+|"
        rf"last|in(?!\sthe|\sa\b)|two|three|a few|when i was|this)\b(?:\s[\w\s]{{2,25}}?)?)?){END}",
        "{kin} died {when}.",
        slot="relation.{kin}.died",
        exclusive=True,
        example=("I lost my dad last year.", "Dad died last year."),
        counter="I lost my dad in the crowd.",
    ),
    rule(
        "has_partner",
        rf"i{ADVERB}(?:'ve got| have| got) (?P<what>an? (?:(?:new|serious|long-distance|long-term|live-in) "
        rf")?(?:girlfriend|boyfriend|partner|fianc[e\u00e9]e?|wife|husband|roommate|housemate|mentor|nanny|"
        rf"business partner|au pair)(?:\s(?:in|from|who|of)\s{PHRASE})?){END}",
        "Has {what}.",
        slot="relation.partner",
        example=("I have a boyfriend in Berlin.", "Has a boyfriend in Berlin."),
        counter="I have a partner question.",
    ),
    rule(
        "together_for",
        rf"(?:(?:me and )?my (?:girlfriend|boyfriend|partner)(?: and (?:i|me))?|we|i)(?:'ve| have) been "
        rf"(?P<how>together|dating|engaged|single|divorced|widowed|seeing someone|sober|retired|unemployed|"
        rf"pregnant)\s(?P<when>(?:for|since)\s{PHRASE})",
        "Has been {how} {when}.",
        slot="relation.{how}",
        example=("We've been together for 5 years.", "Has been together for 5 years."),
        counter="We've been together on this.",
    ),
    rule(
        "birth_order",
        rf"{AM} (?P<what>the (?:oldest|eldest|youngest|middle child|firstborn|only girl|only boy)(?: "
        rf"(?:child|of (?:{WORD_FOR_TWO}|seven|eight)(?: (?:kids|children|"
        rf"siblings|brothers|sisters))?))?){END}",
        "Is {what}.",
        slot="family.order",
        exclusive=True,
        example=("I'm the oldest of four.", "Is the oldest of four."),
        counter="I'm the oldest fan.",
    ),
    rule(
        "moving_in",
        rf"{WE_ARE}{ADVERB} moving in with my (?P<kin>{FAMILY}|friend|friends|parents|"
        rf"in-laws)(?P<when>(?:\s(?:on\s)?{DATE})?){END}",
        "Is moving in with their {kin} {when}.",
        slot="plan.moving_in",
        time_to_live=TimeToLive.ONE_QUARTER,
        example=(
            "I'm moving in with my girlfriend next month.",
            "Is moving in with their girlfriend next month.",
        ),
        counter="I'm moving in with my stuff.",
    ),
)
