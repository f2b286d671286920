"""What a phrasing is, and the words that many of them are made of."""

from sagacity.domain.base import Value

VERBS = (
    r"(?:use|keep|show|explain|ask|include|structure|give|provide|offer|verify|check|review|skip|start|"
    r"write|avoid|call|email|text|send|put|add|list|present|make|stick|focus|speak|respond|answer|reply|"
    r"format|cite|remember|confirm|double[- ]check|tell|let|mention|suggest|recommend|address|refer|assume|"
    r"wait|run|test|return|convert|summari[sz]e|proactively|only|prefer|limit|follow|remind|translate|talk|"
    r"be|get|just|look|search|leave|do(?!\s(?:you|i|we|they))|state|warn|break|number|quote|end|begin|stop|"
    r"never|always|don't|do not|consider|treat|ensure|share|set|update|create|walk|trust|propose|track|"
    r"round|open|close|commit|push|merge|rebase|squash|log|import|install|delete|remove|rename|refactor|document|"
    r"comment|lint|mock|pin|handle|catch|swallow|ignore|hide|raise|deploy|release|back up|fix|change|touch|edit|"
    r"modify|"
    r"replace|escape|wrap|apologi[sz]e|promise|greet|thank|sign|escalate|transfer|forward|refund|cancel|group|sort|"
    r"order|book|link|compare|calculate|estimate|prioriti[sz]e|choose|pick|default|validate|spell|define|introduce|"
    r"acknowledge|collect|record|attach|guess|invent|repeat|rephrase|simplify|shorten|correct|challenge|mark|label)"
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
    r" would)(?: also| really)? appreciate it if you (?:could |would )?|it(?:'d| would) be (?:great|nice|good|"
    r"helpful) "
    r"if you (?:could |would )?|(?:please )?(?:remember|make sure|be sure|try)(?: that)? (?:to|you)\s|it(?:'s| is) "
    r"better if "
    r"you\s|would you mind\s|i wish you(?:\'d| would)\s)"
)

NOT = r"(?:do not|don't|stop|quit|avoid|never)"
AGAIN = (
    r"(?:\s(?:to me|for me|with me|anymore|any more|again|ever|so much|so often|every time|each time|all the time|"
    r"constantly|at all))"
)
_REASON = (
    r"(?:,|\s[-\u2013\u2014]{1,3}|,?\s(?:because|since|cause|cos|cuz))\s(?:i|we|you|he|she|they|it|my|our)"
    r"(?:'?\w+)?\s(?![^\n.!?]{0,200}\b(?:this|these|those|today|tonight|tomorrow|now)\b)[^\n.!?]{2,200}[.!]*$"
)
"""Why something is wished, said as what is always so: "no emojis, my screen reader reads them out"."""
BY_ITSELF = rf"(?=,?\s*(?:please|pls|plz|thanks|thx|thank you|ok(?:ay)?|lol|haha)?\s*(?:[.!?]*$|{_REASON}))"
"""The end of what is said, or a reason: anything else behind it would be the task of the moment."""


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
