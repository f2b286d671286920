"""Words of French, Spanish and Portuguese to the sorts of the grammar of time, each language by itself."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

from sagacity.domain.time.lexicon import LEXICON, Meaning, Sort
from sagacity.domain.time.periods import Feast, Unit

_Words = Mapping[tuple[Sort, int], str]

_FRENCH: Final[_Words] = {
    (Sort.DAY, 0): "aujourd'hui",
    (Sort.DAY, -1): "hier",
    (Sort.DAY, 1): "demain",
    (Sort.UNIT, Unit.DAY): "jour jours",
    (Sort.UNIT, Unit.WEEKEND): "weekend weekends",
    (Sort.UNIT, Unit.WEEK): "semaine semaines",
    (Sort.UNIT, Unit.MONTH): "mois",
    (Sort.UNIT, Unit.QUARTER): "trimestre trimestres",
    (Sort.UNIT, Unit.YEAR): "an ans année années l'année",
    (Sort.THIS, 0): "ce cet cette ces",
    (Sort.NEXT, 0): "prochain prochaine prochains prochaines",
    (Sort.A, 1): "un une",
    (Sort.THE, 0): "le la les au aux",
    (Sort.OF, 0): "de du des d'",
    (Sort.IN, 0): "dans en",
    (Sort.FOR, 0): "pour pendant durant",
    (Sort.UNTIL, 0): "jusqu'en jusqu'à jusqu'au jusqu'aux jusque",
    (Sort.EDGE, 0): "début",
    (Sort.EDGE, 1): "mi",
    (Sort.EDGE, 2): "fin",
    (Sort.NOW, 0): "maintenant",
    (Sort.SEASON, 1): "printemps",
    (Sort.SEASON, 2): "été l'été",
    (Sort.SEASON, 3): "automne l'automne",
    (Sort.SEASON, 4): "hiver l'hiver",
    (Sort.FEAST, Feast.CHRISTMAS): "noël",
    (Sort.FEAST, Feast.EASTER): "pâques",
    (Sort.FEAST, Feast.LENT): "carême",
    (Sort.NUMBER, 15): "quinze",
}
_SPANISH: Final[_Words] = {
    (Sort.DAY, 0): "hoy",
    (Sort.DAY, -1): "ayer",
    (Sort.DAY, 1): "mañana",
    (Sort.UNIT, Unit.DAY): "día días",
    (Sort.UNIT, Unit.WEEKEND): "finde",
    (Sort.UNIT, Unit.WEEK): "semana semanas",
    (Sort.UNIT, Unit.MONTH): "mes meses",
    (Sort.UNIT, Unit.QUARTER): "trimestre trimestres",
    (Sort.UNIT, Unit.YEAR): "año años",
    (Sort.THIS, 0): "este esta estos estas",
    (Sort.NEXT, 0): "próximo próxima próximos próximas viene siguiente",
    (Sort.A, 1): "un una",
    (Sort.THE, 0): "el la los las al que",
    (Sort.OF, 0): "de del",
    (Sort.IN, 0): "en",
    (Sort.FOR, 0): "por para durante",
    (Sort.UNTIL, 0): "hasta",
    (Sort.EDGE, 0): "principio principios comienzos inicios",
    (Sort.EDGE, 1): "mediados",
    (Sort.EDGE, 2): "fin fines final finales",
    (Sort.NOW, 0): "ahora",
    (Sort.SEASON, 1): "primavera",
    (Sort.SEASON, 2): "verano",
    (Sort.SEASON, 3): "otoño",
    (Sort.SEASON, 4): "invierno",
    (Sort.FEAST, Feast.CHRISTMAS): "navidad navidades",
    (Sort.FEAST, Feast.EASTER): "pascua",
    (Sort.FEAST, Feast.LENT): "cuaresma",
    (Sort.NUMBER, 15): "quince",
}
_PORTUGUESE: Final[_Words] = {
    (Sort.DAY, 0): "hoje",
    (Sort.DAY, -1): "ontem",
    (Sort.DAY, 1): "amanhã",
    (Sort.UNIT, Unit.DAY): "dia dias",
    (Sort.UNIT, Unit.WEEK): "semana semanas",
    (Sort.UNIT, Unit.MONTH): "mês meses",
    (Sort.UNIT, Unit.QUARTER): "trimestre trimestres",
    (Sort.UNIT, Unit.YEAR): "ano anos",
    (Sort.THIS, 0): "este esta estes estas neste nesta esse essa nesse nessa",
    (Sort.NEXT, 0): "próximo próxima próximos próximas vem seguinte",
    (Sort.A, 1): "um uma",
    (Sort.THE, 0): "o a os as ao à que",
    (Sort.OF, 0): "de do da dos das",
    (Sort.IN, 0): "em no na nos nas",
    (Sort.FOR, 0): "por para pra durante pelos pelas",
    (Sort.UNTIL, 0): "até",
    (Sort.EDGE, 0): "início começo",
    (Sort.EDGE, 1): "meados meio",
    (Sort.EDGE, 2): "fim final",
    (Sort.NOW, 0): "agora",
    (Sort.SEASON, 1): "primavera",
    (Sort.SEASON, 2): "verão",
    (Sort.SEASON, 3): "outono",
    (Sort.SEASON, 4): "inverno",
    (Sort.FEAST, Feast.CHRISTMAS): "natal",
    (Sort.FEAST, Feast.EASTER): "páscoa",
    (Sort.FEAST, Feast.LENT): "quaresma",
    (Sort.NUMBER, 2): "duas",
    (Sort.NUMBER, 15): "quinze",
}
_IN_ORDER: Final = {
    "fr": (
        (
            Sort.MONTH,
            1,
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        ),
        (Sort.WEEKDAY, 0, "lundi mardi mercredi jeudi vendredi samedi dimanche"),
        (Sort.NUMBER, 2, "deux trois quatre cinq six sept huit neuf dix onze douze"),
    ),
    "es": (
        (
            Sort.MONTH,
            1,
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        ),
        (Sort.WEEKDAY, 0, "lunes martes miércoles jueves viernes sábado domingo"),
        (Sort.NUMBER, 2, "dos tres cuatro cinco seis siete ocho nueve diez once doce"),
    ),
    "pt": (
        (
            Sort.MONTH,
            1,
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        ),
        (Sort.WEEKDAY, 0, "segunda terça quarta quinta sexta sábado domingo"),
        (Sort.NUMBER, 2, "dois três quatro cinco seis sete oito nove dez onze doze"),
    ),
}
"""By language, words that stand for numbers one after the other, and the first of these."""
ROMANCE: Final[Mapping[str, _Words]] = {"fr": _FRENCH, "es": _SPANISH, "pt": _PORTUGUESE}
"""By language, its words for times."""


@cache
def lexicon_of(language: str) -> Mapping[str, Meaning]:
    """Return the words of *language*, with and without accents: English and German together, others by themselves."""
    if language not in ROMANCE:
        return LEXICON
    known: dict[str, Meaning] = {}
    for (sort, value), words in ROMANCE[language].items():
        known |= dict.fromkeys(words.split(), (sort, int(value), int(value)))
    for sort, first, words in _IN_ORDER[language]:
        known |= {word: (sort, number, number) for number, word in enumerate(words.split(), first)}
    return {without_accents(word): meaning for word, meaning in known.items()} | known


def without_accents(word: str) -> str:
    """Return *word* as it is written where accents are left out."""
    letters = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
