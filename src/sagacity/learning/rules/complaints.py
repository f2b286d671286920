"""What users do not want of an answer: complaints, and what they ask to be left out."""

from typing import Final

from sagacity.learning.rules.manner import ABOUT_TALK, MANNER, REPLIES, REPLY_WORDS, TRAIT
from sagacity.learning.rules.pattern import BY_ITSELF, NOT, PLEASE, POLITE, Pattern

_PASSIVE = r"(?:i\s(?:really\s)?(?:hate|dislike|can'?t stand|cannot stand|don'?t like|do not like)\sbeing\s)"

COMPLAINTS: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="spare_me",
        says=rf"(?:{POLITE}|you (?:can|may)\s)?(?:(?:go easy on|hold|lose|ditch|drop|skip|cut(?: out| down on)?|"
        rf"spare me|"
        rf"leave out|quit|don'?t bother with|omit|lay off|enough (?:with|of)|stop (?:it )?with|easy on)\s(?:all\s)"
        rf"?(?:the|your|these|those|"
        rf"any)?"
        rf"\s?(?P<what>(?:\w+\s)?(?:{MANNER}|theory|chatter|crap|bs|waffle|obvious|jokes|warnings|praise|lectures|"
        rf"history lesson|backstory|explanations?)))(?:\s(?:and|,)\s(?:just\s)?(?:give|tell|show|answer|get)\b"
        rf"[^\n,;.!?]{{2,40}})?{BY_ITSELF}",
        gives="leave out {what}",
        confidence=0.75,
        example=("Go easy on the jargon.", "Leave out jargon."),
        counter="Go easy on the jargon in slide two.",
    ),
    Pattern(
        name="no_such_just",
        says=rf"(?:{PLEASE},?\s)?(?:no|without|zero)\s(?P<banned>(?:\w+\s)?{REPLY_WORDS}(?:\s(?:or|and)"
        rf"\s{REPLY_WORDS})?)"
        rf"(?:\sin\s(?:your|the)?\s?(?:code|answers|replies))?(?:,\s(?:just|only|please just)\s[^\n,;.!?]{{3,40}}|"
        rf",?\s{PLEASE})?{BY_ITSELF}",
        gives="use no {banned}",
        confidence=0.75,
        example=("No small talk, just answers.", "Use no small talk."),
        counter="No code was changed.",
    ),
    Pattern(
        name="hates_manner",
        says=rf"i(?:'m| am)?\s(?:really\s|so\s|absolutely\s|just\s)?(?:hate|dislike|can'?t stand|cannot stand|"
        rf"don'?t like|"
        rf"do not like|(?:sick|tired) of|fed up with|don'?t (?:want|need)(?: to (?:see|read|hear))?|"
        rf"do not (?:want|need)(?: to (?:see|read|hear))?)\s"
        rf"(?:(?:the|your|all the|all your|these|any|all these|a)\s)?(?P<banned>(?:(?:long|vague|wordy|generic|"
        rf"lengthy|"
        rf"complicated|endless|constant)\s)?(?:{MANNER}|disclaimers|lectures|long {REPLIES}|moral lectures|"
        rf"opinion|unsolicited advice)(?:\sat the end)?){BY_ITSELF}",
        gives="avoid {banned}",
        confidence=0.75,
        example=("I'm tired of your disclaimers.", "Avoid disclaimers."),
        counter="I'm tired of my disclaimers.",
    ),
    Pattern(
        name="hates_being",
        says=rf"{_PASSIVE}(?P<how>called\s[^\n,;.!?]{{2,30}}|lectured|patroni[sz]ed|talked down to|interrupted|"
        rf"flattered|"
        rf"rushed|nagged|addressed\s(?:as|by|with)\s[^\n,;.!?]{{2,30}}){BY_ITSELF}",
        gives="the user does not want to be {how}",
        confidence=0.75,
        example=("I don't like being called sir.", "The user does not want to be called sir."),
        counter="I don't like being late.",
    ),
    Pattern(
        name="annoys_when",
        says=r"(?:(?:it\s(?:really\s|always\s)?(?:annoys|bothers|irritates|bugs|confuses|upsets)\sme|it (?:drives|"
        r"makes) me "
        r"(?:crazy|mad|nuts|angry|uncomfortable)|i (?:get|am|'m)\s(?:really\s)?(?:annoyed|irritated|confused|lost|"
        r"frustrated))\swhen(?:ever)?\syou|i\s(?:really\s)?(?:hate|dislike|don'?t like|do not like)\s(?:it\s)?"
        r"when(?:ever)?\s(?:assistants|chat ?bots|bots|ais?|ai assistants))\s(?:always\s|keep\s)?"
        r"(?P<rule>(?!are\b|were\b|can\b|have\b|get\b|feel\b|know\b|see\b|go\b|try\b|need\b)[^\n,;.!?]{3,80})",
        gives="do not {rule}",
        confidence=0.8,
        example=("It annoys me when you repeat my question.", "Do not repeat the user's question."),
        counter="It annoys me when he repeats my question.",
    ),
    Pattern(
        name="you_too",
        says=rf"(?:(?:you(?:'re| are)(?: being)?|your (?:tone|style|language|english|writing|wording) is)\s(?:(?:a "
        rf"bit|a little|"
        rf"way|far|much|always|still)\s)?too\s(?P<manner>(?!kind\b|careful\b|short\b){TRAIT})(?:\s(?:for|with|to)"
        rf" me)?|"
        rf"(?:that|this|it)(?:'s| is| was)\s(?:(?:a bit|a little|way|far|much|still)\s)?too\s(?P<such>technical|"
        rf"complicated|"
        rf"wordy|long-?winded|formal|verbose)\sfor me)(?:,[^\n.!?]{{3,60}})?\s*[.!]*$",
        gives="be less {manner}{such}",
        confidence=0.7,
        example=("You're too wordy.", "Be less wordy."),
        counter="You're too wordy in the second chapter.",
    ),
    Pattern(
        name="you_do",
        says=rf"you(?:'re| are| keep| always| constantly)(?: always| constantly)?\s(?P<rule>{ABOUT_TALK}(?<!me)"
        rf"(?:\s[^\n,;.!?]{{1,60}})?)(?=\s*(?:[.!]*$|,\s(?:please )?(?:stop|don'?t)\b))",
        gives="avoid this: {rule}",
        confidence=0.7,
        example=("You're overusing bold text.", "Avoid this: overusing bold text."),
        counter="You're overusing the car.",
    ),
    Pattern(
        name="you_sound_like",
        says=r"you (?:sound|talk|write)(?: too much| a bit| just)? like (?P<whom>an?\s\w+(?:\s\w+)?)"
        r"(?=\s*(?:[.!]*$|,\s(?:please )?(?:stop|don'?t)\b))",
        gives="do not sound like {whom}",
        confidence=0.7,
        example=("You sound like a textbook.", "Do not sound like a textbook."),
        counter="You sound like my dad.",
    ),
    Pattern(
        name="you_never",
        says=rf"you never\s(?P<rule>(?:cite|use|give|include|explain|show|add|ask)\s(?:me\s)?(?:any\s|your\s|for\s)?"
        rf"{REPLY_WORDS})(?:,\s(?:please )?do)?{BY_ITSELF}",
        confidence=0.7,
        example=("You never cite sources.", "Cite sources."),
        counter="You never cite me.",
    ),
    Pattern(
        name="you_do_too_much",
        says=rf"you\s(?P<rule>(?:talk|apologi[sz]e|explain|repeat yourself|ramble|hedge|flatter me|joke|write)"
        rf"\s(?:way |far )?"
        rf"too\s(?:much|often|long)){BY_ITSELF}",
        gives="do not {rule}",
        confidence=0.75,
        example=("You apologise too much.", "Do not apologise too much."),
        counter="You talk too much about him in your book.",
    ),
    Pattern(
        name="not_said",
        says=rf"{POLITE}{{0,2}}(?P<rule>{NOT}\s(?:say|use|write|start with|begin with|call me|add|end with)(?:ing)"
        rf"?\s(?:"
        rf"(?:things|words|phrases|stuff) like\s|the (?:word|phrase|term)s?\s)?\"[^\"\n]{{2,60}}\"){BY_ITSELF}",
        confidence=0.8,
        example=('Don\'t say "as an AI".', 'Don\'t say "as an AI".'),
        counter='They don\'t say "as an AI".',
    ),
    Pattern(
        name="asked_not_to",
        says=rf"(?:can|could|would|will) (?:you|u) (?:please )?not\s(?P<rule>{ABOUT_TALK}(?:\s[^\n,;.!?]{{1,60}})?|"
        rf"call me\s(?!back|later|at)[^\n,;.!?]{{2,30}}){BY_ITSELF}",
        gives="do not {rule}",
        confidence=0.75,
        example=("Can you not use so many exclamation marks?", "Do not use so many exclamation marks."),
        counter="Can you not find it?",
    ),
    Pattern(
        name="mind_not",
        says=rf"(?:would|do) you mind (?P<negation>not )(?P<rule>{ABOUT_TALK}(?:\s[^\n,;.!?]{{1,60}})?){BY_ITSELF}",
        gives="avoid {rule}",
        confidence=0.75,
        example=("Would you mind not using emojis?", "Avoid using emojis."),
        counter="Would you mind not smoking?",
    ),
    Pattern(
        name="need_not_talk",
        says=rf"(?:you (?:don'?t|do not) (?:need|have) to|you needn'?t|(?:there(?:'s| is) )?no need to|i (?:don'?t|"
        rf"do not) (?:want|"
        rf"need) you to|i(?:'d| would) rather you (?:didn'?t|did not|don'?t))\s(?P<rule>{ABOUT_TALK}(?!\s(?:the|"
        rf"that|this)\b)(?:\s[^\n,;.!?]{{1,60}})?|thank me){BY_ITSELF}",
        gives="do not {rule}",
        confidence=0.75,
        example=("You don't have to be so polite.", "Do not be so polite."),
        counter="You don't have to be so late.",
    ),
    Pattern(
        name="no_need_for",
        says=rf"(?:there(?:'s| is)\s)?no need for\s(?:any\s|the\s|all the\s|all these\s)?(?P<banned>(?:\w+\s)"
        rf"?(?:{REPLY_WORDS}|history|background|backstory|context|story))(?:{BY_ITSELF}|(?=,\s(?:just|only|\w+ only)"
        rf"\b))",
        gives="leave out {banned}",
        confidence=0.75,
        example=("No need for disclaimers.", "Leave out disclaimers."),
        counter="No need for tea.",
    ),
    Pattern(
        name="short_answer",
        says=rf"short answers?(?P<rest>,? (?:just|only) [^\n,;.!?]{{3,40}})?{BY_ITSELF}",
        gives="give short answers{rest}",
        confidence=0.7,
        corrects=True,
        example=("Short answer, just the command.", "Give short answers, just the command."),
        counter="Short answer: it depends on the command.",
    ),
    Pattern(
        name="too_long_so",
        says=r"(?:(?:that(?:'s| is| was)|it's|way|far|much|still|a bit)\s){0,3}too (?:long|wordy|much text|"
        r"many words)[,.!;:]*\s(?P<limit>(?:max "
        r"|only )?(?:\d{1,3}|two|three|four|five|six|ten)(?: \w+){0,2}(?: max| at most| tops)?|shorter|brief(?:er|"
        r"ly)?|short \w+)"
        r"(?=\s*(?:please|pls|plz|and\b|[.!,]|$))",
        gives="keep it short: {limit}",
        confidence=0.7,
        corrects=True,
        example=("Too long, five lines max please.", "Keep it short: five lines max."),
        counter="The drive is too long, five hours.",
    ),
    Pattern(
        name="again_with",
        says=rf"(?:oh )?(?:not )?again with (?:the|your|all the|these|those)\s(?P<banned>(?:\w+\s)?(?:{MANNER}|"
        rf"apologi\w+|praise|sorrys?|lists|questions|"
        rf"compliments)){BY_ITSELF}",
        gives="leave out {banned}",
        confidence=0.75,
        corrects=True,
        example=("Again with the flattery.", "Leave out flattery."),
        counter="Again with the dog.",
    ),
    Pattern(
        name="units_please",
        says=r"(?P<unit>grams|metric|celsius|kilomet(?:er|re)s|euros|imperial|fahrenheit),? (?:please|pls|"
        r"plz)(?=\s*(?:[.!,]|$))",
        gives="use {unit}",
        confidence=0.75,
        corrects=True,
        example=("Grams please, I'm in Europe.", "Use grams."),
        counter="200 grams of flour please.",
    ),
    Pattern(
        name="explain_like",
        says=r"explain (?:it |things |this )?(?:to me )?like (?:i'm|im|i am|i was) (?P<who>(?:five|ten|twelve|"
        r"\d{1,2}|a (?:beginner|child|kid|complete beginner)))"
        r"(?=\s*(?:[.!,]|$))",
        gives="explain as to somebody who is {who}",
        confidence=0.7,
        corrects=True,
        example=("Explain like I'm five.", "Explain as to somebody who is five."),
        counter="You explain like I'm five.",
    ),
)
"""Tried last, as `style.STYLE` before it: each names, in its own words, what it is about."""
