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
POLITE = (
    r"(?:(?:please|pls|plz)[,\s]+|(?:can|could|would|will) you(?: please)?\s|i(?:'d| would) (?:like|love|want|prefer|"
    r"appreciate it if) you (?:to |could )?|i (?:want|need) you to\s|you should\s|kindly\s|just\s|i(?:'d|"
    r" would)(?: also| really)? appreciate it if you (?:could |would )?|it would be (?:great|"
    r"nice) if you (?:could )?)"
)


MANNER = (
    r"(?:emojis?|emoticons|bullet points?|bullets|jargon|apologies|disclaimers?|headings|exclamation (?:marks|points)|"
    r"small talk|filler|em[- ]dashes|markdown|buzzwords|clich[e\u00e9]s|slang|abbreviations|acronyms|hashtags|"
    r"greetings|introductions|preambles?|summaries|code comments)"
)
"""What a reply has or has not, whatever it is about."""
LANGUAGE = (
    r"(?:english|german|french|spanish|portuguese|italian|dutch|polish|turkish|japanese|chinese|korean|russian|arabic|"
    r"hindi|swedish|danish|norwegian|finnish|greek|czech|ukrainian)"
)
REPLIES = r"(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|sentences|summaries)"
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
