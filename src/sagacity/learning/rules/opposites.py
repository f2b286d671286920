"""What ends what: a table of states, and of pairs of statements of which one ends the other."""

from dataclasses import dataclass
from typing import Final

_WHO = (
    r"(?P<who>(?:wife|husband|partner|girlfriend|boyfriend|sister|brother|daughter|son|mother|father|mom|mum|"
    r"dad|friend|"
    r"cousin)(?: (?!is|has|was|got|gave|had)\w+)? )?"
)
_BE = r"(?:(?:is|are|got|became|ist|est|es|está|é)\s)?"
_ADVERB = r"(?:(?:now|newly|happily|recently|just|finally|again|currently|no longer single and) )*"
_POSSESSIVE = r"(?:(?:a|an|the|their|his|her|my|our|one's) )?"
_KIND = r"(?:dog|cat|horse|rabbit|hamster|parrot|bird|puppy|kitten|guinea pig|hund|katze|chien|chat|perro|gato|cão)"
_COUNTS = (
    r"(?:an?|one|1)",
    "(?:two|2)",
    "(?:three|3)",
    "(?:four|4)",
    "(?:five|5)",
    "(?:six|6)",
    "(?:seven|7)",
)
_PAST = r"(?! (?:in|im|en|em) (?:19|20)\d\d| \w+ years? ago)"
_PARTNER = r"(?:girlfriend|boyfriend|partner|freundin|freund|petite amie|petit ami|novi[oa]|namorad[oa])"
_SPOUSE = r"(?:wife|husband|spouse|ehefrau|ehemann|mari|espos[oa]|marido)"
_END = r"(?= again| anymore| any more|$|[,.;]| and | in | for | since | last | to | because | after )"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """
    States of which a person has one at a time; the one that was stated last holds.

    *says* is a pattern with a placeholder `{value}`; its group `who` is the person.
    """

    says: str
    values: tuple[str, ...]
    """Patterns, one per state."""
    words: str
    """Words of such statements, by which memories are found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposite:
    """
    A statement that ends another.

    Both are patterns for the start of a statement. Groups of the same name must find the same: `thing` the same last
    words, so that "the car" ends "the red car"; all others the same text. A group that only one side has is ignored,
    except `who`.
    """

    ends: str
    ended: str
    words: str
    """Words of both, by which memories are found."""
    is_mutual: bool = True
    """Whether the second also ends the first if it is stated later. False for events: they are not undone."""


AXES: Final = (
    Axis(
        says=rf"{_WHO}{_BE}{_ADVERB}{{value}}{_PAST}{_END}",
        values=(
            r"(?:single|ledig|célibataire|solter[oa]|solteir[oa])",
            r"(?:engaged(?! in)|verlobt|fiancée?|prometid[oa]|noiv[oa])",
            r"(?:married|verheiratet|mariée?|casad[oa])",
            r"(?:separated|getrennt|séparée?|separad[oa])",
            r"(?:divorced(?: from [\w .-]+)?|geschieden|divorcée?|divorciad[oa])",
            r"(?:widowed|an? widow(?:er)?|verwitwet|veu(?:f|ve)|viud[oa]|viúv[oa])",
        ),
        words="single engaged married separated divorced widowed verheiratet geschieden mariée divorcée casada casado",
    ),
    Axis(
        says=rf"{_BE}{_ADVERB}{{value}}{_END}",
        values=(
            r"(?:an? )?(?:early bird|morning person|frühaufsteher(?:in)?)",
            r"(?:an? )?(?:night owl|evening person|nachteule)",
        ),
        words="early bird morning person night owl",
    ),
    Axis(
        says=r"(?:has|owns) {value} (?P<who>[\w-]+)(?= now|$)",
        values=_COUNTS,
        words="has two three four",
    ),
    Axis(
        says=r"(?P<who>[\w-]+(?: [\w-]+){0,3}?) {value}(?: times)? (?:a|per|each) (?:day|week|month|year)(?= now|$)",
        values=("once", r"(?:twice|two(?= times))", *_COUNTS[2:]),
        words="once twice three four times week",
    ),
)
OPPOSITES: Final = (
    Opposite(
        ends=rf"{_WHO}(?:gave birth|has given birth|had (?:a|the|her|their) baby|had a miscarriage|"
        rf"lost the baby|is not "
        r"pregnant|is no longer pregnant|hat ein kind bekommen|a accouché|dio a luz|deu à luz)",
        ended=rf"{_WHO}(?:health: )?{_BE}{_ADVERB}(?:pregnant|expecting|having a baby|"
        r"schwanger|enceinte|embarazada|grávida)",
        words="pregnant expecting baby schwanger enceinte embarazada grávida",
        is_mutual=False,
    ),
    Opposite(
        ends=r"(?:eats|is eating|started eating|went back to eating|isst|mange|come) (?:meat|beef|chicken|"
        r"pork|fleisch|"
        r"de la viande|carne)(?= again| now|$|[,.;])",
        ended=r"(?:is|follows an?|became|ist|est|es|é)(?: (?:an?|now|fully|strictly|strict))* "
        r"(?:vegetarian|vegan|vegetarier(?:in)?|vegetariano?a?|végétarien(?:ne)?|vegetarisch)(?: diet)?",
        words="vegetarian vegan meat vegetarier végétarien vegetariano fleisch carne",
    ),
    Opposite(
        ends=rf"{_POSSESSIVE}(?P<kind>{_KIND})(?:,? (?P<name>[\w-]+))?,? (?:has |had |recently |"
        rf"just )*(?:died|passed away|"
        r"is dead|was put down|ran away|est mort|murió|morreu)",
        ended=rf"(?:has|owns|got|adopted|hat|a|tiene|tem) (?:an?|ein|eine|einen|un|une|uno|um|uma) (?:\w+ ){{0,2}}?"
        rf"(?P<kind>{_KIND})(?: (?:named|called|namens|llamado|chamado|nommé) (?P<name>[\w-]+))?(?= |$|,)",
        words="dog cat horse rabbit hamster pet named died",
        is_mutual=False,
    ),
    Opposite(
        ends=r"(?:moved|moved away|moved out|relocated|is moving away|left) (?:from|"
        r"out of) (?P<what>[\w' .-]+?)(?= to |"
        r" in | last |$|,)|(?:no longer lives|does not live) in (?P<what2>[\w' .-]+?)(?= any|$|,)",
        ended=r"(?:lives|is living|resides|is based|wohnt|lebt|habite|vive|mora) (?:in|à|en|"
        r"em) (?P<what>[\w' .-]+?)"
        r"(?= near | with | since | and | for |$|,)",
        words="lives moved",
    ),
    Opposite(
        ends=r"(?:quit|left|resigned from|was fired from|was laid off from|got fired from|got laid off from|"
        r"retired from|"
        r"no longer works at|does not work at)(?: (?:(?:their|the|his|her|a|"
        r"my) )?job)?(?: at)? (?P<what>[\w&' .-]+?)(?= in |"
        r" last | after | as |$|,)",
        ended=r"(?:works|is working|is employed|has a job|has a new job|works as an? [\w -]+?|is an? [\w -]+?|"
        r"arbeitet|"
        r"travaille|trabaja|trabalha) (?:at|for|by|bei|chez|en|na) (?P<what>[\w&' .-]+?)(?= as | in | since |$|,)",
        words="works job quit left",
    ),
    Opposite(
        ends=r"(?:is (?:now |currently )?(?:unemployed|jobless|between jobs|out of work)|lost (?:their|his|"
        r"her|the) job|"
        r"ist arbeitslos|est au chômage)",
        ended=r"(?:works|is working|has a(?: new)? job|is employed|arbeitet|travaille) (?:at|for|as|by|bei|chez) ",
        words="works job employed unemployed lost",
    ),
    Opposite(
        ends=r"(?:is (?:now )?retired|has retired|retired)$",
        ended=r"(?!.*volunteer)(?:works|is working|has a(?: new)? job|is employed) (?:at|for|as|by) ",
        words="works job employed",
        is_mutual=False,
    ),
    Opposite(
        ends=r"(?:works at|(?:has|started|found|got) a (?:new )?job(?: at| as| with|$))",
        ended=r"is looking for (?:a |an )?(?:new )?(?:job|work|position)$",
        words="looking job work",
        is_mutual=False,
    ),
    Opposite(
        ends=rf"(?:broke up with|split up with|separated from|left) {_POSSESSIVE}(?P<kind>{_PARTNER})",
        ended=rf"(?:has|hat|a|tiene|tem) (?:an?|eine|einen|une?|una?|uma?) (?P<kind>{_PARTNER})",
        words="girlfriend boyfriend partner",
    ),
    Opposite(
        ends=rf"{_BE}{_ADVERB}single{_END}",
        ended=rf"has an? {_PARTNER}",
        words="girlfriend boyfriend partner",
    ),
    Opposite(
        ends=rf"{_BE}{_ADVERB}(?:divorced|geschieden|divorcée?|divorciad[oa]){_PAST}",
        ended=rf"(?:has|hat|a|tiene|tem) (?:an?|eine|einen|une?|una?|uma?) {_SPOUSE}",
        words="wife husband spouse",
        is_mutual=False,
    ),
    Opposite(
        ends=rf"(?:sold|gave away|gave|got rid of|traded in|donated|scrapped|crashed|totaled|no longer has|"
        rf"no longer owns|does not have) {_POSSESSIVE}(?P<thing>[\w -]+?)(?= to | in | last | for | any|$|,)",
        ended=r"(?:has|owns|drives|has bought|bought|got) an? (?P<thing>[\w -]+?)(?= named | called | in |"
        r" with | for | from |"
        r" that | which |$|,)",
        words="has owns bought",
    ),
    Opposite(
        ends=r"(?:quit|gave up|has quit|stopped|no longer|does not) (?:smok\w+|rauchen|fumer|fumar)|"
        r"(?:ist nichtraucher)",
        ended=r"(?:smokes|is a smoker|is smoking|started smoking|raucht|fume|fuma)",
        words="smokes smoking smoker",
    ),
    Opposite(
        ends=r"(?:quit|gave up|has quit|stopped|no longer drinks|does not drink|"
        r"is sober)(?: drinking)?(?: alcohol)?$",
        ended=r"(?:drinks|is drinking|started drinking)(?: (?:alcohol|wine|beer))?(?: again)?$",
        words="drinks drinking alcohol sober",
    ),
    Opposite(
        ends=r"(?:is allergic to|does not tolerate|(?:does not|no longer|cannot) (?:eat|drink|have)|"
        r"no longer (?:eats|drinks)) (?P<what>(?!(?:cats?|dogs?|horses?|animals|pets|birds|flowers?|roses|plants|"
        r"gardening)\b)[\w' -]+?)(?= any| since | because |$|[,;(])",
        ended=r"(?:likes|loves|enjoys|eats|drinks|is a fan of|is fond of) (?P<what>[\w' -]+?)(?= again|$|[,;])",
        words="likes loves enjoys eats drinks allergic",
        is_mutual=False,
    ),
    Opposite(
        ends=r"(?:dislikes|hates|cannot stand|does not like|no longer likes|does not enjoy) (?P<what>[\w' -]+?)"
        r"(?= any|$|[,;])",
        ended=r"(?:likes|loves|enjoys|is a fan of|is into|is fond of) (?P<what>[\w' -]+?)(?= again|$|[,;])",
        words="likes loves enjoys dislikes hates",
    ),
    Opposite(
        ends=r"(?:recovered from|is over|got over|no longer has) (?:an? |the |their )?(?P<thing>[\w -]+)$",
        ended=r"(?:health: |has an? |has |suffers from |caught an? )(?P<thing>[\w -]+)$",
        words="health suffers recovered",
    ),
    Opposite(
        ends=r"(?:cancelled|canceled|called off|no longer plans|is not going|is not moving|"
        r"is no longer moving|does not plan|does not move|does not want)"
        r"(?: (?:the|their|a))?(?: (?:trip|move|flight|visit|to go|to move))? to (?P<what>[\w' .-]+?)(?= in |"
        r" any|$|,)",
        ended=r"(?:(?:plans|wants) to (?:go|move|fly|travel) to|plans to visit|is (?:going|moving) to) "
        r"(?P<what>[\w' .-]+?)(?= in | on | next | this | with |$|,)",
        words="plans move go visit trip",
    ),
    Opposite(
        ends=r"(?:lives in|moved to) (?P<what>[\w' .-]+?)(?= in | near | with | since |$|,)",
        ended=r"(?:(?:plans|wants) to move to|is moving to) (?P<what>[\w' .-]+?)(?= in | on | next | this | with |$|,)",
        words="plans move",
        is_mutual=False,
    ),
    Opposite(
        ends=r"graduated from (?P<what>[\w&' .-]+?)(?= in | with | as |$|,)",
        ended=r"(?:studies|is studying|"
        r"is an? (?:[\w-]+ )?student)(?: [\w ]+?)? at (?P<what>[\w&' .-]+?)(?= in | since |$|,)",
        words="studies student studying",
        is_mutual=False,
    ),
)  # fmt: skip
"""All rows; each is tried at the start of a statement, without the word "user"."""

SCALES: Final = (
    ("metric", "imperial"),
    ("celsius", "fahrenheit"),
    ("kilometers kilometres", "miles"),
    ("short brief concise terse", "long detailed verbose lengthy"),
    ("formal", "informal casual"),
    ("tabs", "spaces"),
    ("24-hour", "12-hour"),
    ("english englisch anglais inglés inglês", "german deutsch allemand alemán alemão",
     "french französisch français francés francês", "spanish spanisch espagnol español espanhol",
     "portuguese portugiesisch portugais portugués português", "italian italienisch italien italiano"),
)  # fmt: skip
"""Settings that an instruction gives one value: for each value, words with that meaning."""
