"""What the user studies and has studied, and where."""

from typing import Final

from sagacity.learning.rules.engine import Rule, rule
from sagacity.learning.rules.fragments import (
    ADVERB,
    AM,
    END,
    NAME,
    PHRASE,
    POINTING,
)

_ORG = rf"(?P<org>{NAME})"

EDUCATION: Final[tuple[Rule, ...]] = (
    rule(
        "studies",
        rf"(?:i{ADVERB} study|{AM}{ADVERB} (?:studying|majoring in|doing (?:a|my) (?:phd|master'?s?|"
        rf"bachelor'?s?|degree|mba) (?:in|on)))\s(?P<what>(?!for\b|in\b|at\b|how\b|about\b|abroad\b|hard\b|"
        rf"to\b|alone\b|with\b|on\b|more\b|late\b|when\b){PHRASE})",
        "Studies {what}.",
        slot="education.subject",
        exclusive=True,
        refuse=POINTING,
        example=("I study biology at LMU.", "Studies biology at LMU."),
        counter="I study for an exam.",
    ),
    rule(
        "doctorate",
        rf"{AM}{ADVERB} (?:doing|writing|finishing) (?:a|my) (?P<what>(?:phd|ph\.d\.|doctorate|master'?s? "
        rf"thesis|bachelor'?s? thesis|dissertation|master'?s?|mba)(?:\s(?:in|on|at|"
        rf"about)\s{PHRASE})?)(?=[\s,.;!)]|$)",
        "Is doing a {what}.",
        slot="education.degree",
        exclusive=True,
        example=("I'm doing my PhD at Leeds.", "Is doing a PhD at Leeds."),
        counter="I'm doing my best.",
    ),
    rule(
        "year_of_study",
        rf"{AM}{ADVERB} (?:in|entering|starting|finishing) (?P<what>(?:my|the) (?:first|second|third|fourth|"
        rf"fifth|final|last|freshman|sophomore|junior|senior) (?:year|semester|term)(?:\s(?:of|at|"
        rf"in)\s{PHRASE})?|(?:high school|college|university|uni|grad(?:uate)? school|med(?:ical)? school|"
        rf"law school|nursing school|art school|culinary school|\w+ grade|year \d+|a (?:masters|phd|"
        rf"master's|doctoral) program|a relationship|an open relationship|(?:the )?(?:army|navy|air force|"
        rf"military|marines|reserves)|hr|it|tech support|sales)(?:\s(?:at|in|for)\s{PHRASE})?){END}",
        "Is in {what}.",
        slot="education.year",
        exclusive=True,
        example=("I'm in my final year at Edinburgh.", "Is in their final year at Edinburgh."),
        counter="I'm in my final round.",
    ),
    rule(
        "graduated",
        rf"i{ADVERB} graduated from\s{_ORG}",
        "Graduated from {org}.",
        slot="education.{org}",
        relation="studied_at",
        example=("I graduated from Stanford in 2010.", "Graduated from Stanford."),
        counter="My son graduated from Stanford.",
    ),
    rule(
        "studied",
        rf"i(?:'ve| have)?(?: \w+)? (?:graduated|completed|earned|finished|got|have|hold)\s(?:from\s|"
        rf"with\s)?(?P<what>(?:my|an?)\s(?:\w+['\w]*\s){{0,3}}(?:degree|undergrad|bachelor'?s|master'?s|"
        rf"doctorate|phd|"
        rf"mba|diploma)(?:\s(?:in|of|from|at|degree)\s{PHRASE})?)",
        "Education: {what}.",
        slot="education",
        example=(
            "I completed my undergrad in CS from UCLA, which has a great name.",
            "Education: their undergrad in CS from UCLA.",
        ),
        counter="I want to get a degree in CS.",
    ),
    rule(
        "thesis_on",
        rf"my (?P<of>(?:(?:master'?s?|bachelor'?s?|phd|doctoral|senior|undergraduate|current) )?(?:thesis|"
        rf"dissertation|research|phd|capstone(?: project)?|degree|background|expertise)) "
        rf"(?P<how>is|was|focuses|focused)\s(?P<what>(?:in|on|about)\s(?!it\b|this\b|that\b|my\b|the\b|"
        rf"line\b|time\b|fire\b|hold\b|track\b|limbo\b|trouble\b|danger\b|jeopardy\b|progress\b){PHRASE})",
        "{of} {how} {what}.",
        slot="work.{of}",
        exclusive=True,
        example=("My master's thesis was on NLP.", "Master's thesis was on NLP."),
        counter="My thesis is on hold.",
    ),
    rule(
        "field_is",
        rf"my (?P<of>major|minor|specialty|speciality|area of expertise|job title|profession|occupation|"
        rf"(?:day )?job(?=\sis\s(?:\w+ing\s\w+|as\s)))(?P<how>\sis|\swas)\s"
        rf"(?P<what>(?!to\b|not\b|very\b|so\b|that\b|it\b|this\b|the\b|my\b|going\b|getting\b|making\b|"
        rf"killing\b|driving me|taking\b|stressing\b|causing\b){PHRASE})",
        "{of} {how} {what}.",
        slot="work.{of}",
        exclusive=True,
        refuse=r".*\b(?:it|this|that|me|undecided|undeclared|wrong|missing)\b",
        example=("My major is psychology.", "Major is psychology."),
        counter="My job is stressful.",
    ),
    rule(
        "studied_at",
        rf"i{ADVERB} (?P<did>studied|majored in|did my (?:undergrad|masters|master's|phd|degree|residency|"
        rf"bachelor's) (?:in|at)|went to (?:school|college|uni|university|"
        rf"grad school|med school|law school|high school) (?:in|at|for))\s(?P<what>(?!for\b|it\b|this\b|"
        rf"that\b|hard\b|the\b|all\b){PHRASE})",
        "{did} {what}.",
        slot="education.{what}",
        example=("I studied economics in Vienna.", "Studied economics in Vienna."),
        counter="I studied for the exam.",
    ),
    rule(
        "graduated_in",
        rf"i{ADVERB} (?P<did>graduated|dropped out of|got into|got accepted (?:to|into)|transferred to|"
        rf"majored in|minored in|got my (?:degree|phd|master'?s?|bachelor'?s?|mba) (?:in|from|"
        rf"at))(?P<what>\s(?:(?:with|in|from|last|college|university|high school|school|law|med|cum|summa|"
        rf"top|early)\b|(?-i:[A-Z]))(?:\s?{PHRASE})?|\s\w+){END}",
        "{did} {what}.",
        slot="education.{did}",
        refuse=r"(?:it|that|this|to)\b|into (?:it|a|the)\b",
        example=(
            "I graduated last year with a degree in physics.",
            "Graduated last year with a degree in physics.",
        ),
        counter="I graduated to a bigger bike.",
    ),
)
