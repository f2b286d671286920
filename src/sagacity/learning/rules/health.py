"""What the user may eat, and what ails them."""

from typing import Final

from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import ADVERB, AM, CONDITION, DIET, PHRASE, POINTING

HEALTH: Final[tuple[Rule, ...]] = (
    rule(
        "diet_ended",
        rf"{AM} (?:no longer|not)(?: an?)? (?P<diet>{DIET})\b(?:\sany\s?more)?",
        "Is not {diet}.",
        slot="diet",
        negates=True,
        confidence=0.9,
        example=("I'm no longer vegan.", "Is not vegan."),
        counter="Is it vegan?",
    ),
    rule(
        "diet",
        rf"(?:{AM}{ADVERB}(?: an?)?|as an?|i(?:'ve| have)?{ADVERB}(?: \w+){{0,3}}? (?:go|gone|went|became|"
        rf"become|turned|turn|switched to|been)(?: an?)?)\s(?:(?:fully|strictly|mostly|completely|"
        rf"entirely)\s)?(?P<diet>{DIET})\b(?:\sdiet)?(?!\s(?:restaurant|recipe|option|place|cookbook))",
        "Is {diet}.",
        slot="diet",
        exclusive=True,
        confidence=0.9,
        example=("Big life update: I had to go fully vegetarian.", "Is vegetarian."),
        counter="If I were vegan, what would I eat?",
    ),
    rule(
        "diet_followed",
        rf"(?:{AM}{ADVERB} (?:on|following)|i(?:'ve| have)?{ADVERB} (?:follow|started|been (?:on|"
        rf"following)|adopted))\s(?:an?|the)\s(?:strict\s)?(?P<diet>[\w-]+)[ -]diet",
        "Follows a {diet} diet.",
        slot="diet",
        exclusive=True,
        refuse=r"(?:new|better|healthy|healthier|different|balanced|good)\b",
        example=("I'm on a strict keto diet.", "Follows a keto diet."),
        counter="I started a diet.",
    ),
    rule(
        "allergy",
        rf"(?:{AM}{ADVERB}(?: \w+ly)? allergic to\s(?P<what>{PHRASE})|i have an?\s(?:\w+ly\s|severe\s|"
        rf"mild\s)?(?P<kind>[\w-]+) allergy)",
        "Is allergic to {what}{kind}.",
        slot="health.allergy.{what}{kind}",
        confidence=0.95,
        refuse=POINTING,
        example=("I'm allergic to peanuts and I love curry.", "Is allergic to peanuts."),
        counter="My son is allergic to peanuts.",
    ),
    rule(
        "condition",
        rf"(?:{AM}{ADVERB}|(?:i|i've)(?: \w+)? (?:have|got|had|suffer from|struggle with|deal with|"
        rf"been diagnosed with)|i was(?: \w+)? diagnosed with)\s(?:an?\s)?(?P<what>"
        rf"(?:\w+\s){{0,2}}?{CONDITION})\b",
        "Health: {what}.",
        slot="health.{what}",
        confidence=0.9,
        refuse=r"(?:no|not|never|less|some|any|the|zero|had|diagnosed)\b",
        example=("I was recently diagnosed with high blood pressure.", "Health: high blood pressure."),
        counter="Does he have asthma?",
    ),
    rule(
        "diagnosed",
        rf"\b(?:diagnosed me|i was(?: \w+ly)? diagnosed|i've been diagnosed) with\s(?:an?\s)?"
        rf"(?P<what>{PHRASE})",
        "Health: {what}.",
        slot="health.{what}",
        confidence=0.9,
        anywhere=True,
        refuse=POINTING,
        example=("Dr. Lee diagnosed me with chronic sinusitis.", "Health: chronic sinusitis."),
        counter="He was diagnosed with the flu.",
    ),
    rule(
        "cannot_eat",
        rf"i{ADVERB} (?P<how>can't|cannot|don't|do not|never) (?P<what>(?:eat|drink)\s(?!or\b|enough|much|"
        rf"a lot|too|as|that|well)\w{PHRASE})",
        "Does not {what}.",
        slot="diet.avoids.{what}",
        refuse=r"(?:eat|drink)\s(?:it|that|this|them|any of|all)\b",
        example=("I don't eat pork, by the way.", "Does not eat pork."),
        counter="I don't eat enough.",
    ),
)
