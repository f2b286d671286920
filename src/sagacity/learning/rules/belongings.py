"""What the user owns."""

from typing import Final

from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    BACKWARD,
    END,
    PHRASE,
    THINGS,
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
    r"lenses|guitars|instruments|watches|shoes|sneakers|boots|handbags|dolls|cards|comics|board games|"
    r"puzzles|knives|pens|posters|paintings|tattoos|piercings|aquariums|fish|tetras|birds|parrots|goats|"
    r"sheep|cows|ducks|geese|pigs|llamas|alpacas|bees|beehives|hives|snakes|lizards|rats|hamsters|guinea "
    r"pigs|turtles|tortoises|acres|bedrooms|bathrooms|monitors|laptops|computers|consoles|keyboards|"
    r"subscribers|followers|degrees|certifications|jobs|passports|mugs|hats|suits|antiques|bicycles|"
    r"motorcycles|boats|drones|telescopes|guns|cookbooks)"
)
"""What one owns or keeps many of."""
_NO_BELONGING = (
    r"(?:(?:an?|some|two|three|several|\d+)\s)?(?:\w+\s)?(?:lot|bit|bunch|few|couple|questions?|call|"
    r"chance|text|message|e-?mail|ride|job|discount|sense|feel|feeling|ideas?|deal|quote|refund|cold|"
    r"headache|tips?|haircut|massage|response|reply|problem|issue|meeting|appointment|time|experience|"
    r"concern|plan|deadline|good|great|better|handle|picture|grasp|understanding|vision|list|request|"
    r"friend|colleague|reservation|flat tire|flight|package|parcel|order|ticket|delivery|\d+%|\$)"
)

_NOT_HAD = (
    r".*\b(?:in mind|in sight|in view|in (?:my|our) (?:dreams?|heads?|minds?|cart|basket|sights)|on (?:order|hold|"
    r"loan|the way))\b"
)
"""What is had in mind, or not yet."""

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
        rf"(?:(?:i|we){ADVERB} own|(?:i|we)(?:'ve| have) got)\s(?P<what>(?:an?|two|three|four|five|\d+|"
        rf"several)\s{PHRASE})|(?:i|we){ADVERB} have\s(?P<thing>(?:an?|two|three|"
        rf"\d+)\s(?:[\w.'-]+\s){{0,4}}?{THINGS}s?\b(?:\s(?:\d+\w*|pro|max|plus|mini|ultra|air)\b)*"
        rf"(?:\s(?:in|at|near|with|of|about|on|for|from)\s{PHRASE})?)|"
        rf"(?:i|we){ADVERB} have\s(?P<kept>an?\s(?:(?:old|used|second-hand|vintage|electric|brand new|"
        rf"\d+[- ]year[- ]old)\s)+"
        rf"(?!(?:friend|problem|question|bug|error|version|file|branch|flame|account|story|joke|colleague|job|habit)"
        rf"\b)"
        rf"[\w'-]+(?:\s[\w'-]+){{0,3}}?){END}",
        "Has {what}{thing}{kept}.",
        slot="owns.{what}{thing}{kept}",
        confidence=0.8,
        refuse=rf"{_NO_BELONGING}|an? similar\b|\d+ dozen\b|.*\b(?:them|list)\b|{_NOT_HAD}",
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
        rf"scholarship|car|house|piano|guitar|motorcycle|bike|laptop|camera|phone)\b|"
        rf"(?-i:[A-Z]))))\s(?P<what>(?:myself\s)?(?:an?|my|our|some|two|three|new|\d+)\s{PHRASE})",
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
        r"(?-i:[A-Z])\w+)\sfor\s(?P<span>(?:about |over |almost |nearly |around )?[\w-]+(?: few)? (?:years?|"
        r"months?|decades?))\b",
        "Has had {what} for {span}.",
        slot="owns.{what}",
        confidence=0.75,
        refuse=r"(?:the|an?)\s(?:same|cold|cough|headache|problem|issue|question|idea|feeling|lot)\b",
        example=("I've had my bike for about three years now.", "Has had their bike for about three years."),
        counter="I've had a headache for two days.",
    ),
)
