"""What the user owns and does often."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AM, BACKWARD, END, HAVE_BEEN, PHRASE, THINGS

_HABITS = (
    r"run|go|take|play|make|practice|attend|swim|walk|grill|cook|meditate|exercise|teach|drive|read|watch|"
    r"wake up|get up|ride|volunteer|visit|bake|bike|hike|jog|work out|train|do|eat|drink|listen|commute|"
    r"write|paint|study|climb|garden|meal prep|sleep|clean|stretch|lift|pray|journal|leave|leave the house|"
    r"leave work|skate|box|row|fish|"
    r"hunt|sail|knit|sew|crochet|game|stream|draw|sing|dance|surf|ski|golf|shop|go to bed|get off work|"
    r"babysit|foster|walk"
)
_OFTEN = (
    r"(?:every\s(?:single\s)?(?:day|night|morning|evening|weekend|week|month|year|other\s\w+|\w+day)|daily|"
    r"weekly|twice a \w+|once a \w+|(?:\w+|\d+) (?:times|days|nights|hours) (?:a|per) (?:day|week|month|"
    r"year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?(?:(?:,| and|, and) (?:mon|tues|wednes|thurs|fri|"
    r"satur|"
    r"sun)days?)*(?: at \d{1,2}(?::\d\d)?(?:\s?[ap]m\b)?)?|on weekends|on weekdays|(?:most|some) (?:days|"
    r"nights|mornings|evenings|weekends)|in the (?:mornings?|evenings?|afternoons?)(?=\s*(?:[.,!]|$))|"
    r"(?:before|after) (?:work|school|breakfast|dinner|lunch|bed)|(?:at|around) (?:about |around "
    r")?\d{1,2}(?::\d\d)?(?:\s?[ap]\.?m\b)?(?=\s*(?:[.,!;]|$)|"
    r"\s(?:and|but|so|on|every|because)\b)|in my (?:free|spare) time|for fun|as a hobby)"
)

_LOOKS = r"(?:(?:new|old|trusty|used|vintage|black|white|red|blue|silver|\d{4})\s){0,3}"
_PROPER = r"(?:\s(?-i:[A-Z0-9])[\w-]*){0,3}"
_MODEL = r"(?:\s(?-i:[A-Z])[\w-]*){0,3}\s\w*\d\w*(?:\s(?-i:[A-Z])\w*)?"
_SORT = r"\s(?:electric |acoustic |bike |gaming |air |road |mountain |running |hiking )?"
_NO_THING = (
    r"(?:(?-i:I|January|February|March|April|May|June|July|August|September|October|November|December)\b|"
    r".*\b(?:project|trip|class|order|Year|deadline|interview|meeting|party|Day|Instagram|"
    r"Twitter|Facebook|LinkedIn|Google|account|God)\b)"
)

_MANY_THINGS = (
    r"(?:coins|stamps|records|vinyls|books|figurines|plants|succulents|houseplants|trees|bikes|cars|cameras|"
    r"lenses|guitars|instruments|watches|shoes|sneakers|boots|"
    r"handbags|dolls|cards|comics|board games|puzzles|knives|pens|posters|paintings|tattoos|piercings|"
    r"aquariums|fish|tetras|birds|parrots|goats|sheep|cows|ducks|geese|"
    r"pigs|llamas|alpacas|bees|beehives|hives|snakes|lizards|rats|hamsters|guinea pigs|turtles|tortoises|"
    r"acres|bedrooms|bathrooms|monitors|laptops|computers|consoles|"
    r"keyboards|subscribers|followers|degrees|certifications|jobs|passports|mugs|hats|suits|antiques|"
    r"bicycles|motorcycles|boats|drones|telescopes|guns|cookbooks)"
)
"""What one owns or keeps many of."""
_NO_BELONGING = (
    r"(?:(?:an?|some|two|three|several|\d+)\s)?(?:\w+\s)?(?:lot|bit|bunch|few|couple|questions?|call|"
    r"chance|text|message|e-?mail|ride|job|discount|sense|feel|feeling|ideas?|deal|quote|refund|cold|"
    r"headache|tips?|haircut|massage|response|reply|problem|issue|meeting|appointment|time|experience|"
    r"concern|plan|deadline|good|great|better|handle|picture|grasp|understanding|vision|list|request|"
    r"friend|colleague|reservation|flat tire|flight|package|parcel|order|ticket|delivery|\d+%|\$)"
)

BELONGINGS: Final[tuple[Rule, ...]] = (
    rule(
        "has_many",
        rf"(?:i|we){ADVERB}(?:'ve got| have| own)\s(?P<what>(?:about |around |over |almost |nearly "
        rf")?(?:\d{{1,4}}|two|three|four|five|six|seven|eight|nine|ten|dozens of|hundreds of)\s"
        rf"(?:different\s)?(?:[\w'-]+\s){{0,3}}?{_MANY_THINGS})(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|in|that|"
        rf"which|at|on|from|with|of|to)\b)",
        "Has {what}.",
        slot="owns.{what}",
        confidence=0.75,
        example=("I actually have 25 rare coins that I store.", "Has 25 rare coins."),
        counter="I have 25 questions.",
        refuse=r".*\b(?:more|other|different|left)\b",
    ),
    rule(
        "owns",
        rf"(?:(?:i|we){ADVERB} own|i(?:'ve| have) got)\s(?P<what>(?:an?|two|three|four|five|\d+|"
        rf"several)\s{PHRASE})|(?:i|we){ADVERB} have\s(?P<thing>(?:an?|two|three|"
        rf"\d+)\s(?:[\w.'-]+\s){{0,4}}?{THINGS}s?\b(?:\s(?:\d+\w*|pro|max|plus|mini|ultra|air)\b)*"
        rf"(?:\s(?:in|at|near|with|of|about|on|for|from)\s{PHRASE})?)",
        "Has {what}{thing}.",
        slot="owns.{what}{thing}",
        confidence=0.8,
        refuse=rf"{_NO_BELONGING}|an? similar\b|.*\b(?:them|list)\b",
        example=(
            "I have a 2018 Ford Mustang car in the garage.",
            "Has a 2018 Ford Mustang car in the garage.",
        ),
        counter="I have a question about the car.",
    ),
    rule(
        "collection",
        rf"\bmy (?:\w+ )?collection of\s(?P<what>{PHRASE})",
        "Has a collection of {what}.",
        slot="owns.collection.{what}",
        presupposed=True,
        refuse=rf"{BACKWARD}|.*\bthem\b",
        example=("I added a coin to my collection of Roman coins.", "Has a collection of Roman coins."),
        counter="The museum has a collection of coins.",
    ),
    rule(
        "bought",
        rf"(?:i|we)(?:'ve| have)?{ADVERB} (?P<did>bought|purchased|acquired|adopted|ordered|picked up|"
        rf"splurged on|invested in|treated myself to|(?<=\sjust\s)got(?=\san?\s)|"
        rf"(?<=\srecently\s)got(?=\san?\s)|got(?=\s(?:an?|my(?=\snew)|two|three)\s(?:(?:brand )?new|used|"
        rf"second-hand|vintage|(?:\w+\s)?(?:puppy|kitten|dog|cat|horse|tattoo|degree|promotion|raise|"
        rf"scholarship|car|house|piano|guitar|motorcycle|"
        rf"bike|laptop|camera|phone)\b|(?-i:[A-Z]))))\s(?P<what>(?:myself\s)?(?:an?|my|our|some|two|three|"
        rf"new|"
        rf"\d+)\s{PHRASE})",
        "{did} {what}.",
        slot="bought.{what}",
        time_to_live=TimeToLive.ONE_YEAR,
        confidence=0.75,
        refuse=_NO_BELONGING,
        example=(
            "By the way, I recently bought a pack of graphic tees from H&M.",
            "Bought a pack of graphic tees from H&M.",
        ),
        counter="I got a call from my boss.",
    ),
    rule(
        "named_thing",
        rf"\bmy\s(?:current\s)?(?P<what>{_LOOKS}(?-i:i?[A-Z])[\w-]+(?:{_MODEL}|{_PROPER}{_SORT}(?:guitar|"
        rf"piano|camera|lens|bike|car|truck|suv|laptop|phone|watch|computer|helmet|keyboard|"
        rf"tv)))(?=[\s,.;!?)]|$)",
        "Has a {what}.",
        slot="owns.{what}",
        confidence=0.75,
        presupposed=True,
        refuse=_NO_THING,
        example=(
            "I love playing my black Fender Stratocaster electric guitar.",
            "Has a black Fender Stratocaster electric guitar.",
        ),
        counter="My New Year plans changed.",
    ),
    rule(
        "named_things",
        rf"\bmy\s(?:current\s)?(?P<what>{_LOOKS}(?-i:[A-Z])[\w-]+{_PROPER}{_SORT}(?:shoes|boots|sneakers|"
        rf"headphones|earbuds|glasses|skis))(?=[\s,.;!?)]|$)",
        "Has {what}.",
        slot="owns.{what}",
        confidence=0.75,
        presupposed=True,
        refuse=_NO_THING,
        example=("I wore my old Converse sneakers.", "Has old Converse sneakers."),
        counter="I wore my sister's shoes.",
    ),
    rule(
        "has_had",
        r"i(?:'ve| have) had\s(?P<what>(?:my|an?|the)\s[\w' -]{2,50}?|"
        r"(?-i:[A-Z])\w+)\sfor\s(?P<span>(?:about |over |almost |nearly |"
        r"around )?[\w-]+(?: few)? (?:years?|months?|decades?))\b",
        "Has had {what} for {span}.",
        slot="owns.{what}",
        confidence=0.75,
        refuse=r"(?:the|an?)\s(?:same|cold|cough|headache|problem|issue|question|idea|feeling|lot)\b",
        example=("I've had my bike for about three years now.", "Has had their bike for about three years."),
        counter="I've had a headache for two days.",
    ),
)

HABITS: Final[tuple[Rule, ...]] = (
    rule(
        "gave_birth",
        rf"i(?:'ve| have)?{ADVERB} (?:gave|given) birth(?P<more>(?:\sto\s{PHRASE})?)",
        "Gave birth {more}.",
        slot="life.birth",
        confidence=0.9,
        example=("I gave birth to Leo last week.", "Gave birth to Leo last week."),
        counter="My sister gave birth to Leo.",
    ),
    rule(
        "usually",
        rf"(?:i|we)(?: also)? (?P<often>usually|typically|normally|regularly|"
        rf"often)(?: just)?\s(?P<verb>[a-z]+(?:\s(?:up|out|prep))?)\b(?P<what>(?:\s{PHRASE})?)",
        "{often} {verb} {what}.",
        slot="habit.{what}",
        confidence=0.75,
        refuse=r"(?:wanted|thought|been|had|felt|wondered|heard|found|knew|forget|get confused|said|loved|"
        r"wonder|worry|find|mean|think|like|have|feel|struggle|end|assumed|enjoyed|\w+ed)\b$|"
        r".*\b(?:it|that|this|them)\b",
        example=(
            "By the way, I usually take Zumba classes on Tuesdays at 7:00 PM.",
            "Usually takes Zumba classes on Tuesdays at 7:00 PM.",
        ),
        counter="I usually like that.",
    ),
    rule(
        "keeps_doing",
        rf"{HAVE_BEEN}{ADVERB} (?P<what>(?!thinking|wondering|meaning|trying|getting|"
        rf"feeling)\w+ing\b[^,;:!?()\"\n]{{0,50}}?\s{_OFTEN}){END}",
        "Has been {what}.",
        slot="habit.{what}",
        confidence=0.75,
        refuse=r"(?:enjoying|loving)\b|.*\bthem\b|\w+\s(?:a\s)?weekly",
        example=("I've been doing yoga twice a week.", "Has been doing yoga twice a week."),
        counter="I've been thinking about it every day.",
    ),
    rule(
        "pursues",
        rf"(?:i|we){ADVERB} (?P<verb>collect|teach|coach|volunteer (?:at|for|with)|sing|major in|play the|"
        rf"run an?|raise|foster)\s(?P<what>{PHRASE})",
        "{verb} {what}.",
        slot="pursues.{what}",
        confidence=0.8,
        refuse=(
            rf"{BACKWARD}|(?:few|couple|lot|risk|check|test|search|fool|victim|devil|game|lottery|blame|"
            rf"search|report|quick|question|role|part)\b"
        ),
        example=("I collect vintage cameras.", "Collects vintage cameras."),
        counter="I collect them.",
    ),
    rule(
        "drives",
        rf"i(?: currently| now| still)? (?P<verb>drive|ride)\s(?P<what>an?\s(?!lot\b|bit\b|few\b|long\b|"
        rf"hard\b|"
        rf"deal\b|wave\b)"
        rf"{PHRASE})",
        "{verb} {what}.",
        slot="owns.vehicle",
        refuse=r".*\b(?:every|times|miles|hours|if)\b",
        example=("I drive a Tesla Model 3.", "Drives a Tesla Model 3."),
        counter="I drive a lot.",
    ),
    rule(
        "in_a_group",
        rf"i{ADVERB} (?P<verb>play|sing|dance)\s(?P<what>in\s(?:an?|my|our)\s(?:[\w-]+\s){{0,3}}?(?:band|"
        rf"choir|"
        rf"orchestra|team|league|"
        rf"club|ensemble|quartet|group)){END}",
        "{verb} {what}.",
        slot="pursues.{what}",
        example=("I play in a band.", "Plays in a band."),
        counter="I play in a hurry.",
    ),
    rule(
        "plays",
        rf"i{ADVERB} (?P<verb>play|do|practice|practise)(?: a lot of| "
        rf"some)?\s(?P<what>(?:the\s)?(?:(?!with\b|for\b)[\w-]+\s){{0,2}}?(?:football|"
        rf"soccer|tennis|basketball|volleyball|"
        rf"badminton|table tennis|golf|hockey|rugby|cricket|chess|squash|handball|guitar|piano|violin|drums|"
        rf"bass|cello|flute|"
        rf"saxophone|ukulele|trumpet|yoga|pilates|judo|karate|boxing|crossfit|climbing|bouldering|"
        rf"dungeons and dragons|d&d|poker|"
        rf"video games)\b(?:\s(?:every|on|in|with|for|twice|once|as)\s[\w\s]{{2,40}}?)?){END}",
        "{verb} {what}.",
        slot="pursues.{what}",
        refuse=r".*\b(?:him|her|them|it|your|this|that)\b",
        example=("I play tennis on Sundays.", "Plays tennis on Sundays."),
        counter="I play the fool.",
    ),
    rule(
        "consumes",
        rf"i{ADVERB} (?:usually |always |only |mostly )?(?P<verb>drink|eat)\s(?P<what>(?:only\s|"
        rf"mostly\s)?(?:black |green |herbal |decaf |oat milk |"
        rf"lots of |a lot of )?(?:coffee|tea|decaf|oat milk|soy milk|almond milk|meat|fish|halal|kosher|"
        rf"low[- ]carb)\b"
        rf"(?:\s(?:in the \w+|with \w+|every \w+|without \w+))?)(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|"
        rf"because)\b)",
        "{verb} {what}.",
        slot="diet.{verb}.{what}",
        confidence=0.8,
        example=("I only drink decaf.", "Drinks decaf."),
        counter="I drink it.",
    ),
    rule(
        "member_of",
        rf"{AM}{ADVERB} (?:an? )?(?:active )?member of\s(?P<what>{PHRASE})",
        "Is a member of {what}.",
        slot="member.{what}",
        refuse=BACKWARD,
        example=("I'm a member of a local chess club.", "Is a member of a local chess club."),
        counter="Is he a member of a club?",
    ),
    rule(
        "commute",
        rf"my (?:daily |morning )?commute(?: to work)? (?P<how>is|takes)\s(?P<what>(?:about |"
        rf"around )?[\w-]+(?: \w+)? (?:minutes?|hours?|miles|km|kilomet(?:er|re)s){PHRASE}?)",
        "Commute {how} {what}.",
        slot="work.commute",
        exclusive=True,
        example=("My commute takes 45 minutes each way.", "Commute takes 45 minutes each way."),
        counter="My commute is boring.",
    ),
    rule(
        "routine",
        rf"(?:i|we){ADVERB} (?P<verb>{_HABITS})\b(?P<what>[^,;:!?()\"\n]{{0,60}}?\s(?:almost\s)?{_OFTEN})",
        "{verb} {what}.",
        slot="habit.{what}",
        confidence=0.8,
        refuse=r".*\b(?:them|him|tests?|servers?|scripts?|jobs|copies|queries|builds?|code|backups?)\b",
        example=("Yeah, I grill almost every night.", "Grills almost every night."),
        counter="I should run every day.",
    ),
    rule(
        "hobby",
        rf"i{ADVERB} (?P<verb>knit|crochet|sew|paint|draw|sculpt|garden|surf|ski|snowboard|skateboard|kayak|"
        rf"sail|meditate|journal|bake|hike|camp|fence|"
        rf"scuba dive|homebrew|woodwork|freedive|birdwatch|geocache|quilt|embroider|fish|hunt|climb|cycle|"
        rf"jog|dance|sing|blog|vlog|write "
        rf"(?:poetry|poems|short stories|fiction|novels|songs|music|a blog|fanfiction)|make (?:pottery|"
        rf"jewelry|candles|music|my own \w+)|do (?:pottery|"
        rf"woodworking|calligraphy|origami|photography|ceramics|improv|stand-?up|martial arts|jiu[- ]jitsu|"
        rf"ballet|gymnastics|crossfit|parkour|puzzles)|brew "
        rf"(?:my own )?(?:beer|kombucha)|keep bees|foster (?:dogs|cats|kittens))(?P<what>(?:\s(?:on|in|as|"
        rf"for fun|with my|at|a lot|every)\b(?:\s[\w' ]{{2,30}}?)?)?)"
        rf"(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|because)\b)",
        "{verb} {what}.",
        slot="pursues.{verb}",
        confidence=0.8,
        refuse=r".*\b(?:it|this|that|them|you|the)\b|in (?:a|conclusion)\b|for (?:a|an)\b",
        example=("I crochet.", "Crochets."),
        counter="I draw the line.",
    ),
    rule(
        "amount_a_week",
        rf"(?:i|we){ADVERB} (?P<verb>run|walk|cycle|bike|swim|drive|read|drink|smoke|work|sleep|spend|eat|"
        rf"study|practice|train|lift|save|watch|hike)\s(?P<what>"
        rf"(?:about |around |over |at least |almost |roughly |only |up to )?[$\u20ac\u00a3]?(?:\d[\d.,-]*|"
        rf"one|two|three|four|five|six|seven|eight|nine|ten|twelve) ?"
        rf"(?:to \d+ ?)?(?:k|km|kms|miles?|steps|laps|cups?|glasses|bottles|liters|litres|beers|hours?|"
        rf"minutes?|books?|pages|coffees|cigarettes|packs?|kilometers|days|times|"
        rf"meals|eggs|dollars|euros|sodas)?(?: of [\w' -]{{2,30}}?)?(?: on [\w' -]{{2,25}}?)? (?:a|per|"
        rf"every|each) (?:day|week|night|month|year|weekend|morning))"
        rf"(?=\s*(?:[,.;!)]|$)|\s(?:and|but|so|on|in|with|for|because|at)\b)",
        "{verb} {what}.",
        slot="habit.{verb}.amount",
        exclusive=True,
        example=("I run about 40k a week.", "Runs about 40k a week."),
        counter="I run about a lot.",
    ),
    rule(
        "commutes_by",
        rf"(?:i|we){ADVERB}(?: usually| always| mostly)? (?P<verb>bike|cycle|walk|drive|carpool|skate|take "
        rf"the (?:bus|train|subway|metro|tram|tube|ferry)|commute by \w+) "
        rf"to (?P<where>work|school|the office|campus|uni|university|college|class)(?=\s*(?:[,.;!)]|$)|"
        rf"\s(?:and|but|so|every|most|because|on|when|in)\b)",
        "{verb} to {where}.",
        slot="work.commute_by",
        exclusive=True,
        example=("I take the train to work.", "Takes the train to work."),
        counter="I drive to the shop.",
    ),
    rule(
        "in_group",
        rf"{AM}{ADVERB} (?P<how>in|on|part of)\s(?P<what>(?:an?|the|my|our)\s(?:[\w'-]+\s){{0,3}}?(?:club|"
        rf"band|choir|team|league|committee|council|board|orchestra|support group|"
        rf"study group|running group|book group|fraternity|sorority|union|society|troupe|crew|"
        rf"squad)(?:\s(?:at|in|for|of|with)\s{PHRASE})?){END}",
        "Is {how} {what}.",
        slot="member.{what}",
        refuse=r"(?:the|my) (?:same|right|wrong|other)\b|the (?:board|team)$",
        example=("I'm in a book club.", "Is in a book club."),
        counter="I'm in a hurry.",
    ),
    rule(
        "place_has",
        rf"(?:my|our) (?P<of>house|apartment|flat|condo|home|car|truck|garden|yard|backyard|kitchen|"
        rf"building|city|town|neighbou?rhood|school|office)\s(?P<how>has|doesn't have)\s"
        rf"(?P<what>(?:no |an? |two |three |solar |central |only )?(?!flat\b|problem|issue|lot\b|few\b|"
        rf"weird\b|strange\b|been\b|become\b|gotten\b|leak){PHRASE})",
        "{of} {how} {what}.",
        slot="home.{of}.{what}",
        confidence=0.75,
        refuse=(
            rf"{BACKWARD}|.*\b(?:problems?|issues?|leaks?|tire|damage|error|it|this|that|been|smell|noise)\b"
        ),
        example=("Our house has solar panels.", "House has solar panels."),
        counter="Our house has a problem.",
    ),
    rule(
        "wears_size",
        r"i (?:wear|am|take)\s(?:an? )?(?P<what>size (?:\d[\d./]*|x{0,3}[sml]|small|medium|"
        r"large)(?:\s(?:shoes?|dress|jeans|pants|shirts?))?)(?=[\s,.;!)]|$)",
        "Wears {what}.",
        slot="identity.size",
        example=("I wear size 12.", "Wears size 12."),
        counter="I wear size labels.",
    ),
    rule(
        "my_thing_that",
        r"\bmy\s(?P<what>(?!own\b|first\b|last\b)(?:[\w'-]+\s){0,3}?[\w'-]+),? (?:that|which) "
        r"i(?:'ve)?(?: just| recently| finally)? (?:got|bought|purchased|inherited|built|"
        r"received|own|adopted)\b",
        "Has {what}.",
        slot="owns.{what}",
        confidence=0.75,
        presupposed=True,
        refuse=(
            r".*\b(?:code|error|problem|results?|feedback|email|letter|offer|idea|test|grade|answer|"
            r"question|order|message|feeling|life|day|work|job|points?|now)\b"
        ),
        example=("I'm mastering my 50mm lens that I got a month ago.", "Has 50mm lens."),
        counter="I fixed my code that I got from you.",
    ),
)
