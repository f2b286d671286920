"""What a phrasing is, and the words that many of them are made of."""

from sagacity.domain.base import Value

VERBS = (
    r"(?:use|keep|show|explain|ask|include|structure|give|provide|offer|verify|check|review|skip|start|"
    r"write|avoid|call|email|text|send|put|add|list|present|make|stick|focus|speak|respond|answer|reply|"
    r"format|cite|remember|confirm|double[- ]check|tell|let|mention|suggest|recommend|address|refer|assume|"
    r"wait|run|test|return|convert|summari[sz]e|proactively|only|prefer|limit|follow|remind|translate|talk|"
    r"be|get|just|look|search|leave|do(?!\s(?:you|i|we|they))|state|warn|break|number|quote|end|begin|stop|"
    r"never|always|don't|do not|consider|treat|ensure|share|set|update|create|walk|trust|propose|track|"
    r"round)"
)
BODY = r"(?P<rule>[^\n]{3,260})"
STANDING = (
    r"(?:in (?:the )?future|from now on|from here on(?: out)?|going forward|moving forward|"
    r"next time(?: around)?|for next time|henceforth|for (?:all )?(?:future|later) (?:\w+)|"
    r"in (?:all )?future (?:\w+)|every time|whenever you)"
)
PLEASE = r"(?:please|pls|plz)"
POLITE = (
    r"(?:(?:please|pls|plz)[,\s]+|(?:can|could|would|will) (?:you|u)(?: please)?\s|i(?:'d| would) (?:like|love|want|"
    r"prefer|"
    r"appreciate it if) you (?:to |could )?|i (?:want|need) you to\s|you should\s|kindly\s|just\s|i(?:'d|"
    r" would)(?: also| really)? appreciate it if you (?:could |would )?|it(?:'d| would) be (?:great|nice|good|helpful) "
    r"if you (?:could |would )?|(?:please )?(?:remember|make sure|be sure|try)(?: that)? (?:to|you)\s|it(?:'s| is) "
    r"better if "
    r"you\s|would you mind\s|i wish you(?:\'d| would)\s)"
)

NOT = r"(?:do not|don'?t|stop|quit|avoid|never)"
AGAIN = (
    r"(?:\s(?:to me|for me|with me|anymore|any more|again|ever|so much|so often|every time|each time|all the time|"
    r"constantly|at all))"
)
BY_ITSELF = r"(?=,?\s*(?:please|pls|plz|thanks|thx|thank you|ok(?:ay)?)?\s*[.!?]*$)"
"""The end of what is said: more behind it would be the task of the moment."""


class Pattern(Value):
    """One way of giving an instruction."""

    name: str
    says: str
    gives: str = "{rule}"
    """The rule, as a template over the named groups of *says*; `when` says when it applies."""
    confidence: float
    corrects: bool = False
    """Whether it only counts after an answer of the agent."""
    example: tuple[str, str]
    """A sentence, and the rule that it gives."""
    counter: str
    """A sentence that looks alike and gives nothing."""
