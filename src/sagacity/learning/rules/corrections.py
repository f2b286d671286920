"""How each language sets right what is remembered: another value, another day, another home, or nothing at all."""

from collections.abc import Mapping
from typing import Final

from sagacity.learning.rules.endings import MEIN, MEU, MI, MON, THING

_VALUE = r"(?:(?-i:[A-Z\u00c0-\u00dd])[\w'-]+(?: (?-i:[A-Z])[\w'-]+){0,2}|\d[\d.,:]*)"
_RIGHT, _WRONG = rf"(?P<right>{_VALUE})", rf"(?P<wrong>{_VALUE})"
_BUT = r",? ?(?:but|aber|mais|pero|mas)? ?"
_LAST = r"(?=\s*[.!]*$|,)"
CORRECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "en": (
        (
            r"i (?:said|meant) (?:the |an? )?"
            rf"(?P<right>{_VALUE}(?: [a-z][\w'-]+){{0,3}}),? not (?:the |an? )?{_WRONG}"
        ),
        rf"not {_WRONG}, i (?:said|meant) {_RIGHT}",
        rf"i said {_WRONG}{_BUT}(?:i )?meant? {_RIGHT}{_LAST}",
    ),
    "de": (
        rf"ich (?:sagte|meinte|habe gesagt) {_RIGHT},? nicht {_WRONG}",
        rf"ich (?:sagte|meinte|habe gesagt) nicht {_WRONG},? sondern {_RIGHT}",
        rf"ich (?:sagte|habe gesagt) {_WRONG}{_BUT}(?:ich )?meint?e {_RIGHT}{_LAST}",
    ),
    "fr": (
        rf"(?:j'ai dit|je voulais dire) {_RIGHT},? (?:et )?(?:non )?pas {_WRONG}",
        rf"j'ai dit {_WRONG}{_BUT}je voulais dire {_RIGHT}{_LAST}",
    ),
    "es": (
        rf"(?:yo )?(?:dije|he dicho|quise decir|quería decir) {_RIGHT},? (?:y )?no {_WRONG}",
        rf"(?:yo )?(?:dije|he dicho) {_WRONG}{_BUT}(?:quise|quería|quiero) decir {_RIGHT}{_LAST}",
    ),
    "pt": (
        rf"(?:eu )?(?:disse|falei|quis dizer) {_RIGHT},? (?:e )?não {_WRONG}",
        rf"(?:eu )?(?:disse|falei) {_WRONG}{_BUT}(?:eu )?(?:quis|quero|queria) dizer {_RIGHT}{_LAST}",
    ),
}
"""How a value that was misunderstood is set right: the right one, and the wrong one, which a memory has."""

MOVED: Final[Mapping[str, str]] = {
    "en": rf"(?:my )?(?P<who>[\w'-]+)(?: has)?(?: just| recently)? moved (?:back )?to {_RIGHT}"
    r"(?=[\s.!]*$|,| last | in | and )",
}
"""How somebody else is said to have moved; the user's own moves are rows of facts."""

_PLEASE = r"(?:please |pls |just |you can |bitte |s'il te plait |por favor )*"
_VERGISS = r"(?:vergiss|vergesst|vergessen sie)"
FORGOTTEN: Final[Mapping[str, tuple[str, ...]]] = {
    "en": (
        (
            rf"{_PLEASE}(?:forget|disregard|ignore|delete|erase)(?: about)? (?:what(?:ever)?|everything|anything|"
            rf"all(?: that)?) "
            r"(?:that )?(?:i(?:'ve| have)? (?:ever |just )?(?:said|told you|mentioned|shared)|you (?:know|remember|"
            r"saved|stored|"
            rf"have(?: saved| stored)?)) about (?:my |the |our |me and )?{THING}"
        ),
        rf"{_PLEASE}forget (?:that|i told you(?: that)?|i said(?: that)?|i mentioned(?: that)?) {THING}",
        rf"{_PLEASE}forget (?:about )?(?:my|our) {THING}",
    ),
    "de": (
        (
            rf"{_PLEASE}{_VERGISS}(?: bitte)?(?: alles| das)?,? was ich (?:dir |ihnen |euch )?(?:über|von|zu) "
            rf"{MEIN}{THING} (?:gesagt|erzählt|"
            r"geschrieben) hab(?:e)?"
        ),
        rf"{_PLEASE}{_VERGISS}(?: bitte)?,? dass (?:ich|wir) {THING}",
    ),
    "fr": (
        (
            rf"{_PLEASE}oublie[zr]?(?: tout)? ce que (?:j'ai|je t'ai|je vous ai) (?:dit|raconté) (?:sur|à propos "
            rf"de|au "
            rf"sujet de|"
            rf"concernant|de) {MON}{THING}"
        ),
        rf"{_PLEASE}oublie[zr]? que (?:je |j'){THING}",
    ),
    "es": (
        (
            rf"{_PLEASE}(?:olvida|olvide|olvídate de|borra)(?: todo)? lo que (?:te |os |le )?(?:dije|he dicho|"
            rf"conté|he "
            rf"contado) "
            rf"(?:sobre|acerca de|del?) {MI}{THING}"
        ),
        rf"{_PLEASE}(?:olvida|olvide|olvídate de) que (?:yo )?{THING}",
    ),
    "pt": (
        (
            rf"{_PLEASE}(?:esquece|esqueça|apaga|apague)(?: tudo)? o que (?:eu )?(?:te |lhe )?(?:disse|falei|contei) "
            rf"(?:sobre|a respeito d[eoa]|d[eoa]) {MEU}{THING}"
        ),
        rf"{_PLEASE}(?:esquece|esqueça) que (?:eu )?{THING}",
    ),
}
"""How a user asks that something is forgotten; what names it is the group `thing`."""

_EVENT = r"(?P<thing>[\w'-]+(?: [\w'-]+){0,3}?)"
_TO = r"(?P<right>[\w.:-]+(?: [\w.:-]+){0,5}?)"
RESCHEDULED: Final[Mapping[str, tuple[str, ...]]] = {
    "en": (
        (
            rf"(?:my|the|our) {_EVENT} (?:(?:is|was|got|has been|has) )?(?:been |now )?(?:moved|pushed(?: back)?|"
            rf"postponed|"
            rf"rescheduled|brought forward)(?: from [\w ]{{3,20}}?)? to {_TO}"
        ),
        rf"(?:my|the|our) {_EVENT} is (?:now )?(?:on )?{_TO}(?: now)?,? (?:and )?not (?:on )?[\w ]{{3,20}}?",
    ),
    "de": (
        (
            rf"(?:meine?|der|die|das|unser|unsere) {_EVENT} (?:ist|wurde)(?: jetzt)? (?:auf (?:den |die )?|zum )?{_TO} "
            r"(?:verschoben|verlegt|vorgezogen)"
        ),
    ),
    "fr": (
        rf"(?:mon|ma|le|la|notre) {_EVENT} (?:a été|est) (?:déplacée?|reportée?|avancée?|décalée?) (?:à|au) {_TO}",
    ),
    "es": (
        (
            rf"(?:mi|el|la|nuestra?) {_EVENT} se (?:ha )?(?:movido|aplazado|pospuesto|cambiado|movió|aplazó|cambió|"
            rf"pasó|pasado) "
            rf"(?:a|al|para) (?:el |la )?{_TO}"
        ),
    ),
    "pt": (
        (
            rf"(?:meu|minha|o|a|nosso|nossa) {_EVENT} (?:foi|mudou)(?: (?:adiad[oa]|remarcad[oa]|transferid[oa]|"
            rf"mudad[oa]))? para "
            rf"(?:a |o )?{_TO}"
        ),
    ),
}
"""How an appointment is said to have another day, which is the group `right`; `thing` is what it is."""
