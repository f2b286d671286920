"""How each language says that something no longer holds: the words of denials, and a table of endings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The words that a language uses for denials in the first person and the present."""

    subjects: str
    """Words for the speaker, which start a denial."""
    denials: str
    """Words that deny, with `_` for a space."""
    asides: str
    """Words that do not change the meaning, such as "actually" and "any more"."""
    unsaid: str
    """Words that comparisons leave out: articles, and the verbs "to be" and "to have"."""
    verbs: Mapping[str, str]
    """First person to third person; for other verbs, *regular* applies."""
    regular: tuple[tuple[str, str], ...]
    """Verb endings of the first person to those of the third."""
    limits: str
    """A pattern of what limits a denial when it follows: "at least not at work"."""
    over: str
    """Words that say that it was true before."""
    reasons: str
    """After a denial without such a word, these may be what is denied: "I'm not vegan because of the animals"."""
    subject_is_optional: bool = False


LEXICONS: Final[Mapping[str, Lexicon]] = {
    "en": Lexicon(
        subjects="i'm we're i we",
        denials="not don't no_longer aren't never",
        asides="actually really even anymore any_more at_all after_all myself though honestly also",
        unsaid="a an the is are am be been has have got do does their my our any",
        verbs={"am": "is", "are": "is", "i'm": "is", "we're": "is", "don't": "does not", "do": "does"},
        regular=(),
        limits=r"except|unless|at least|only|just|until|till|for now|for the moment|today|tonight|yet|right now|"
        r"usually|normally|when|if|not (?:at|on|in|for|with)",
        over="anymore any_more no_longer",
        reasons="because since as",
    ),
    "de": Lexicon(
        subjects="ich wir",
        denials="nicht kein keine keinen nie",
        asides="doch also eigentlich jetzt gar ja übrigens mehr auch wirklich inzwischen mittlerweile überhaupt",
        unsaid="der die das den dem des ein eine einen einem mein meine meinen sein seine seinen ist hat sind",
        verbs={
            "bin": "ist", "habe": "hat", "hab": "hat", "nehme": "nimmt", "nehm": "nimmt", "esse": "isst",
            "fahre": "fährt",
            "trage": "trägt", "mag": "mag", "lese": "liest", "arbeite": "arbeitet", "vertrage": "verträgt",
            "nutze": "benutzt", "verwende": "benutzt",
        },
        regular=(("e", "t"),),
        limits=r"außer|nur|bis|heute|zumindest|wenigstens|noch|vorerst|momentan|gerade|wenn|falls|nicht (?:am|im|"
        r"bei)",
        over="mehr",
        reasons="weil da wegen denn",
    ),
    "fr": Lexicon(
        subjects="je j'",
        denials="pas plus jamais",
        asides="ne n' finalement en_fait vraiment du_tout maintenant non",
        unsaid="le la les l' un une des du de d' mon ma mes son sa ses est a ont sont",
        verbs={
            "suis": "est", "ai": "a", "prends": "prend", "bois": "boit", "fais": "fait", "vis": "vit", "lis": "lit",
            "conduis": "conduit", "supporte": "supporte", "vais": "va", "cours": "court",
        },
        regular=(("e", "e"),),
        limits=r"sauf|seulement|jusqu|aujourd'hui|du moins|au moins|encore|pour l'instant|quand|si|pas (?:au|en|le)",
        over="plus",
        reasons="parce car",
    ),
    "es": Lexicon(
        subjects="yo",
        denials="no nunca",
        asides="ya más al_final en_realidad realmente para_nada ahora la_verdad",
        unsaid="el la los las un una unos unas al del mi mis su sus es está tiene son",
        verbs={"soy": "es", "estoy": "está", "tengo": "tiene", "hago": "hace", "juego": "juega", "conduzco": "conduce",
               "bebo": "bebe", "como": "come", "vivo": "vive", "leo": "lee", "corro": "corre", "voy": "va"},
        regular=(("o", "a"),),
        limits=r"salvo|excepto|solo|sólo|hasta|hoy|al menos|todavía|aún|por ahora|cuando|si|no (?:en|los)",
        over="ya",
        reasons="porque",
        subject_is_optional=True,
    ),
    "pt": Lexicon(
        subjects="eu",
        denials="não nunca",
        asides="já mais afinal na_verdade realmente agora de_jeito_nenhum",
        unsaid="o a os as um uma uns umas ao do da meu minha seu sua é está tem são",
        verbs={"sou": "é", "estou": "está", "tenho": "tem", "faço": "faz", "bebo": "bebe", "como": "come",
               "vivo": "vive", "leio": "lê", "corro": "corre", "vou": "vai"},
        regular=(("o", "a"),),
        limits=r"exceto|só|até|hoje|pelo menos|ainda|por enquanto|quando|se|não (?:em|no|na)",
        over="mais já",
        reasons="porque",
        subject_is_optional=True,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingRow:
    """One way in which something ends, or is true again."""

    name: str
    ends: str
    """A pattern of slots; only memories of these slots are ended."""
    says: Mapping[str, tuple[str, ...]]
    """Patterns of a clause by language; the group `thing` is what ends, `who` is whose it is."""
    gives: Mapping[str, str]
    """What to remember by language, a template with `thing`; in English the clause itself if there is no template."""
    is_back: bool = False
    """Whether it ends a denial: "I drink coffee again"."""
    is_of_one: bool = False
    """Whether the thing must be the subject of the memory: "Has a dog named Rex", not "Has a vet who knows Rex"."""


THING = r"(?P<thing>[\w'&.+#/-]+(?: [\w'&.+#/-]+){0,4}?)"
_NAME = r"(?P<thing>[\w'-]+)"
_KIND = (
    r"(?:dog|cat|puppy|kitten|horse|pony|rabbit|hamster|bird|parrot|friend|brother|sister|uncle|aunt|cousin|grandma|"
    r"grandpa|grandmother|grandfather|husband|wife)"
)
_ORG = r"(?P<thing>[\w&-]+(?: [\w&-]+)?)"
_WHEN = (
    r"(?:,? (?:(?:last|this) \w+|yesterday|today|recently|finally|now|for good|completely|already|"
    r"in (?:early |late |mid )?(?:(?:19|20)\d\d|spring|summer|autumn|fall|winter|january|february|march|april|may|"
    r"june|"
    r"july|august|september|october|november|december)|on \w+day|(?:\w+ ){1,3}ago|after [\w ]{2,30}))*"
)
_I = (
    r"(?:i|we)(?:'ve| have|'m| am| are)?"
    r"(?: (?:actually|finally|just|recently|already|also|now|had to|decided to))*"
)
_MY = r"(?:(?:the|my|our|his|her|their) )?"
_DOCTOR = r"(?:(?:my|the) )?(?:doctor|doc|gp|cardiologist|psychiatrist|dr\.? \w+|they)(?: has| have| just)?"
_DOING = (
    r"(?:(?:taking|using|eating|drinking|playing|doing|going to|practi[sc]ing|learning|wearing|smoking|watching|"
    r"training for|working on) )?"
)
_PARTED = (
    r"(?:broke up|split up|split|(?:got |have |are )?(?:separated|divorced)|are no longer together|"
    r"called it quits)"
)
_OUTGREW = r"(?:outgrew|outgrown|grew out of|grown out of|got over|recovered from)"
MEIN = r"(?:der |die |das |den |dem |mein\w* |unser\w* )?"
MON = r"(?:le |la |les |l'|du |de la |d'|au |mon |ma |mes |notre )?"
MI = r"(?:al? |el |la |los |las |mi |mis |nuestr\w+ )?"
MEU = r"(?:o |a |os |as |meu |minha |nosso |nossa )?"

_QUAND = r"(?: (?:hier|(?:la|le|cette|ce) \w+(?: dernièr?e?)?|en \w+|il y a [\w ]{2,20}))?"
_CUANDO = r"(?: (?:ayer|(?:la|el|este|esta) \w+(?: pasad[oa])?|en \w+|hace [\w ]{2,20}))?"
_QUANDO = r"(?: (?:ontem|(?:(?:na|no|este|esta) )?\w+ passad[oa]|em \w+|há [\w ]{2,20}))?"

_HELD = r"habit|health\.medic|diet|tool|pursues|learning|member|goal|plan|project|taste\.media|work\.(?:place|field)"
"""Slots of what people do for a time: what they take, use, eat or practise."""
_BEING = r"pet|relation|family|people"
_OWNED = r"owns|bought|pet"
_JOB = r"work\.(?:employer|role|company|business|place)"
_PLANNED = r"plan|goal|event|project"
_PARTNER = (
    r"relation\.(?:partner|boyfriend|girlfriend|husband|wife|fianc|spouse|freund|mann|frau|ehe|verlobt|mari|femme|"
    r"copain|copine|petit|compagn|conjoint|novi|marido|espos|mujer|pareja|namorad|mulher)|identity\.(?:partner|"
    r"marital)"
)
_AVOIDED = r"habit|diet|tool|life|taste|health\.(?!allergy|intolerance|sensitive)"

ENDINGS: Final = (
    EndingRow(
        name="died",
        ends=_BEING,
        is_of_one=True,
        says={
            "en": (
                (
                    rf"{_MY}(?:{_KIND} )?{_NAME}(?:,? (?:has|just|sadly|recently|suddenly))* "
                    rf"(?:died|passed away){_WHEN}"
                ),
            ),
            "de": (rf"{MEIN}{_NAME} ist(?: \w+){{0,4}} (?:gestorben|verstorben|tot)",),
            "fr": (rf"(?:(?:mon|ma) (?:\w+ )?)?{_NAME} est morte?{_QUAND}",),
            "es": (
                rf"(?:mi (?:\w+ )?)?{_NAME} (?:se murió|murió|ha muerto|falleció){_CUANDO}",
                rf"(?:se murió|murió|ha muerto|falleció) (?:mi (?:\w+ )?)?{_NAME}{_CUANDO}",
            ),
            "pt": (rf"(?:o |a |meu \w+ |minha \w+ )?{_NAME} (?:morreu|faleceu){_QUANDO}",),
        },
        gives={
            "de": "{thing} ist gestorben.",
            "fr": "{thing} est mort.",
            "es": "{thing} murió.",
            "pt": "{thing} morreu.",
        },
    ),
    EndingRow(
        name="a pet is gone",
        ends="pet",
        is_of_one=True,
        says={
            "en": (
                rf"{_MY}{_NAME} (?:was put down|was put to sleep){_WHEN}",
                rf"(?:i|we) had to put {_MY}(?:{_KIND} )?{_NAME} (?:down|to sleep){_WHEN}",
                rf"(?:i|we) (?:lost|(?:had to give|gave|have given) away) {_MY}(?:{_KIND} )?{_NAME}{_WHEN}",
                rf"(?:i|we) (?:had to give|gave|have given) {_MY}(?:{_KIND} )?{_NAME} away{_WHEN}",
            )
        },
        gives={},
    ),
    EndingRow(
        name="parted",
        ends=_PARTNER,
        is_of_one=True,
        says={
            "en": (
                (
                    rf"{_I} (?:broke up with|split up with|split from|separated from|divorced|ended things with) "
                    rf"(?:my \w+ )?{_NAME}{_WHEN}"
                ),
                rf"(?:my \w+ )?{_NAME} and (?:i|me) {_PARTED}{_WHEN}",
            ),
            "de": (
                rf"{_NAME} und ich (?:haben uns getrennt|sind getrennt|sind nicht mehr zusammen)",
                rf"ich habe mich von (?:mein\w+ \w+ )?{_NAME} getrennt",
            ),
            "fr": (rf"{_NAME} et moi (?:nous sommes|on s'est|avons) (?:séparés|quittés|rompu)",),
            "es": (
                rf"{_NAME} y yo (?:nos (?:hemos )?separa(?:mos|do)|lo dejamos|rompimos|hemos roto|cortamos)",
                rf"(?:rompí|corté|me separé|he roto) (?:con|de) (?:mi \w+ )?{_NAME}",
            ),
            "pt": (
                rf"(?:o |a )?{_NAME} e eu (?:terminamos|nos separamos|rompemos)",
                rf"(?:eu )?terminei com (?:o |a |meu \w+ |minha \w+ )?{_NAME}",
            ),
        },
        gives={
            "en": "Broke up with {thing}.",
            "de": "Hat sich von {thing} getrennt.",
            "fr": "S'est séparé de {thing}.",
            "es": "Se separó de {thing}.",
            "pt": "Terminou com {thing}.",
        },
    ),
    EndingRow(
        name="sold",
        ends=_OWNED,
        says={
            "en": (
                (
                    rf"{_I} (?:sold|gave away|got rid of|traded in|donated|scrapped|totall?ed|rehomed) {_MY}{THING}"
                    rf"(?: (?:to|on) [\w' ]{{2,40}}?)?{_WHEN}"
                ),
            ),
            "de": (rf"(?:ich|wir) habe?n? {MEIN}{THING} (?:verkauft|verschenkt|weggegeben)",),
            "fr": (rf"(?:j'ai|on a|nous avons) vendu {MON}{THING}",),
            "es": (rf"(?:he vendido|vendí|vendimos|hemos vendido) {MI}{THING}",),
            "pt": (rf"(?:eu )?(?:vendi|vendemos) {MEU}{THING}",),
        },
        gives={
            "de": "Hat {thing} verkauft.",
            "fr": "A vendu {thing}.",
            "es": "Ha vendido {thing}.",
            "pt": "Vendeu {thing}.",
        },
    ),
    EndingRow(
        name="left a job",
        ends=_JOB,
        says={
            "en": (
                (
                    rf"{_I} (?:quit|left|resigned from|(?:was |got )?(?:fired|laid off|let go) (?:from|by)|handed in "
                    rf"my notice at)(?: my job at)? {THING}{_WHEN}"
                ),
            ),
            "de": (rf"(?:ich|wir) habe?n? bei {_ORG} (?:gekündigt|aufgehört)",),
            "fr": (rf"j'ai (?:quitté|démissionné de) (?:mon travail chez )?{_ORG}",),
            "es": (rf"(?:he dejado|dejé) {_ORG}",),
            "pt": (rf"(?:eu )?(?:saí d[aoe]|larguei|deixei) (?:a |o )?{_ORG}",),
        },
        gives={
            "de": "Hat bei {thing} gekündigt.",
            "fr": "A quitté {thing}.",
            "es": "Ha dejado {thing}.",
            "pt": "Saiu de {thing}.",
        },
    ),
    EndingRow(
        name="stopped",
        ends=_HELD,
        says={
            "en": (
                (
                    rf"{_I} (?:stop(?:ped)?|quit|(?:gave|give|given) up(?: on)?) {_DOING}{_MY}{THING}(?: "
                    rf"anymore)?{_WHEN}"
                ),
                rf"{_I} (?:came off|come off|got off|went off|weaned off|off|done with|ditched) {_MY}{THING}{_WHEN}",
                rf"no more {THING} for me(?: please)?",
                rf"{_DOCTOR} (?:took|taken) me off {_MY}{THING}{_WHEN}",
            ),
            "de": (rf"(?:ich|wir) habe?n? (?:mit )?{MEIN}{THING} (?:abgesetzt|aufgegeben|aufgehört)",),
            "fr": (
                (
                    rf"j'ai (?:arrêté|abandonné|laissé tomber) (?:de (?:prendre|boire|manger|fumer|utiliser|jouer) )?"
                    rf"{MON}{THING}"
                ),
            ),
            "es": (rf"(?:he dejado|dejé)(?: de (?:tomar|beber|comer|fumar|usar|jugar))? {MI}{THING}",),
            "pt": (
                rf"(?:eu )?(?:parei de|larguei|deixei de) (?:(?:tomar|beber|comer|fumar|usar|jogar) )?{MEU}{THING}",
            ),
        },
        gives={
            "de": "Hat {thing} aufgegeben.",
            "fr": "A arrêté : {thing}.",
            "es": "Ha dejado {thing}.",
            "pt": "Parou: {thing}.",
        },
    ),
    EndingRow(
        name="recovered",
        ends=r"health\.(?!medic)",
        says={
            "en": (
                rf"{_I} {_OUTGREW} {_MY}{THING}{_WHEN}",
                (
                    rf"my {THING} (?:is|are|has|have)(?: finally| now| completely| all)* (?:gone(?: away)?|cured|"
                    rf"healed|over|"
                    rf"cleared up|disappeared){_WHEN}"
                ),
                rf"my {THING}(?: finally)? (?:went away|cleared up|healed|disappeared){_WHEN}",
            ),
            "de": (
                rf"mein\w* {THING} (?:ist|sind)(?: endlich| jetzt| wieder)* (?:weg|geheilt|verschwunden|vorbei)",
            ),
            "fr": (rf"(?:mon|ma|mes) {THING} (?:est|sont)(?: enfin)? (?:guérie?s?|parties?|finie?s?)",),
            "es": (
                rf"mis? {THING} (?:se me ha ido|se me fue|ha desaparecido|desapareció|se ha curado|se curó)",
                rf"ya se me (?:ha )?(?:fue|pasó|quitó|ido|pasado|quitado) (?:el |la |mi ){THING}",
            ),
            "pt": (
                rf"(?:minha|meu|minhas|meus) {THING} (?:sumiu|passou|desapareceu|foi embora|está curad[oa])",
            ),
        },
        gives={
            "de": "{thing} ist vorbei.",
            "fr": "Guéri : {thing}.",
            "es": "Ya no: {thing}.",
            "pt": "Passou: {thing}.",
        },
    ),
    EndingRow(
        name="somebody recovered",
        ends=r"relation|pet",
        says={"en": (rf"(?:my \w+ )?(?P<who>\w+)(?: has)? {_OUTGREW} {_MY}{THING}{_WHEN}",)},
        gives={},
    ),
    EndingRow(
        name="is cancelled",
        ends=_PLANNED,
        says={"en": (rf"(?:the|my|our) {THING} (?:got|was|is|has been) (?:cancell?ed|called off){_WHEN}",)},
        gives={"en": "{thing} was cancelled."},
    ),
    EndingRow(
        name="cancelled",
        ends=_PLANNED,
        says={"en": (rf"{_I} (?:cancell?ed|called off) (?:the|my|our) {THING}{_WHEN}",)},
        gives={},
    ),
    EndingRow(
        name="may be had again",
        ends=r"health\.(?:allergy|intolerance|sensitive)|diet",
        is_back=True,
        says={
            "en": (
                rf"(?:i|we) can(?: now)? (?:(?:eat|drink|take|use|have|tolerate) )?{THING} again(?: now)?",
            )
        },
        gives={},
    ),
    EndingRow(
        name="is back",
        ends=_AVOIDED,
        is_back=True,
        says={
            "en": (
                (
                    rf"(?:i|we)(?:'m| am| are|'ve| have)?(?: back to| started| now| back on)* "
                    rf"(?:(?:eat|drink|take|use|have|smoke|tolerate)(?:ing)? )?{THING} again(?: now)?"
                ),
                rf"(?:i|we)(?:'m| am| are)? (?:went |gone |going )?back (?:on|to) {THING}{_WHEN}",
            ),
            "de": (rf"ich (?:trinke|esse|nehme|rauche|benutze) (?:jetzt )?wieder {THING}",),
            "fr": (rf"je (?:bois|mange|prends|fume|utilise) (?:de nouveau|à nouveau) {MON}{THING}",),
            "es": (rf"(?:vuelvo a|he vuelto a) (?:beber|tomar|comer|fumar|usar) {THING}",),
            "pt": (rf"voltei a (?:beber|tomar|comer|fumar|usar) {THING}",),
        },
        gives={
            "de": "Wieder: {thing}.",
            "fr": "De nouveau : {thing}.",
            "es": "De nuevo: {thing}.",
            "pt": "De novo: {thing}.",
        },
    ),
)
"""All rows. A pattern is tried at the start of a stated clause, and must end where a clause ends."""

MARKS: Final = (
    "pushed postponed rescheduled brought verschoben verlegt vorgezogen déplacé déplacée reporté reportée avancé "
    "avancée "
    "décalé décalée movido aplazado pospuesto cambiado movió aplazó cambió pasado adiado adiada remarcado remarcada "
    "transferido transferida mudado mudada mudou "
    "gone away cured cleared healed disappeared weg geheilt verschwunden vorbei guéri guérie guéris guéries "
    "partie parties "
    "finie ido fue pasó quitó desapareció desaparecido curado curó quitado sumiu passou desapareceu embora curada "
    "forget disregard ignore delete erase vergiss vergesst vergessen oublie oubliez oublier olvida olvide olvídate "
    "borra esquece "
    "esqueça apaga "
    "apague "
    "moved lost anymore longer stop stopped quit gave give given came come got went weaned off ditched took "
    "taken died passed put let sold rid traded donated scrapped totaled totalled rehomed left resigned fired laid "
    "notice broke split separated divorced ended outgrew outgrown grew grown recovered cancelled canceled called "
    "again back said meant abgesetzt aufgegeben aufgehört gekündigt gestorben verstorben tot verkauft verschenkt "
    "weggegeben getrennt wieder sagte meinte gesagt arrêté abandonné laissé mort morte vendu quitté démissionné "
    "séparés quittés rompu nouveau dit voulais dejado dejé murió muerto falleció vendido vendí vendimos separamos "
    "separado dejamos rompimos roto cortamos rompí corté separé vuelvo vuelto dije dicho quise quería parei larguei "
    "deixei saí morreu faleceu vendi vendemos terminamos terminei rompemos voltei disse falei quis"
)
"""Every ending and correction contains one of these words; a denial contains one of its language."""
