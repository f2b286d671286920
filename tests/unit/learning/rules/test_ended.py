"""What a user denies, ends or corrects of what is known; and what looks alike and ends nothing."""

from collections.abc import Iterator

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.ids import MemoryId
from sagacity.learning.rules.corrections import CORRECTIONS, RESCHEDULED
from sagacity.learning.rules.corrections import FORGOTTEN as FORGOTTEN_BY
from sagacity.learning.rules.draft import Draft
from sagacity.learning.rules.ended import KnownFact, endings, what_may_end
from sagacity.learning.rules.endings import ENDINGS, LEXICONS
from sagacity.learning.rules.languages.detect import language_of
from sagacity.learning.rules.languages.load import LANGUAGES
from sagacity.learning.rules.profile import profile_candidates, spoken
from unit.learning.rules.turns import said

DENIED = [
    (
        "I am allergic to peanuts",
        "Actually no, I'm not allergic to peanuts, that was my brother",
        "Is not allergic to peanuts.",
    ),
    ("I take losartan every morning", "I don't take losartan anymore", "No longer takes losartan."),
    (
        "I take losartan every morning",
        "I don't take losartan anymore because it made me dizzy",
        "No longer takes losartan.",
    ),
    ("I have asthma", "turns out I don't have asthma", "Does not have asthma."),
    ("I use neovim", "I don't use neovim any more", "No longer uses neovim."),
    ("I have two cats", "I don't have cats", "Does not have cats."),
    ("I'm from Lima", "I'm not from Lima", "Is not from Lima."),
    ("I like prawns", "I don't like prawns", "Dislikes prawns."),
    ("Je suis végétarienne", "I'm not vegetarian anymore", "Is not vegetarian."),
    (
        "Ich bin allergisch gegen Nüsse",
        "Ich bin doch nicht gegen Nüsse allergisch",
        "Ist nicht gegen Nüsse allergisch.",
    ),
    ("Ich nehme jeden Morgen Losartan", "Ich nehme kein Losartan mehr", "Nimmt kein Losartan mehr."),
    ("Ich habe Asthma", "Ich habe doch kein Asthma", "Hat kein Asthma."),
    ("je prends du losartan tous les matins", "je ne prends plus de losartan", "Ne prend plus de losartan."),
    ("Je suis allergique aux noix", "Je ne suis pas allergique aux noix", "N'est pas allergique aux noix."),
    ("tomo losartán cada mañana", "ya no tomo losartán", "Ya no toma losartán."),
    (
        "soy alérgica a los cacahuetes",
        "ya no soy alérgica a los cacahuetes",
        "Ya no es alérgica a los cacahuetes.",
    ),
    ("Sou alérgica a amendoim", "Não sou mais alérgica a amendoim", "Não é mais alérgica a amendoim."),
]
ENDED = [
    (
        "I have a dentist appointment on Tuesday.",
        "The dentist is on Thursday now, not Tuesday.",
        "Has a dentist appointment on Thursday.",
    ),
    (
        "I have a dentist appointment on Tuesday.",
        "the dentist got pushed back to June 3rd",
        "Has a dentist appointment on June 3rd.",
    ),
    (
        "I have a dentist appointment on Tuesday.",
        "My dentist appointment was moved to Thursday.",
        "Dentist appointment is Thursday.",
    ),
    (
        "Ich habe am Dienstag einen Zahnarzttermin",
        "Der Zahnarzttermin wurde auf Donnerstag verschoben.",
        "Hat am Donnerstag einen Zahnarzttermin.",
    ),
    (
        "J'ai un rendez-vous chez le dentiste mardi",
        "Mon rendez-vous a été déplacé à jeudi.",
        "A un rendez-vous chez le dentiste jeudi.",
    ),
    (
        "Tengo cita con el dentista el martes",
        "Mi cita se ha movido al jueves.",
        "Tiene cita con el dentista el jueves.",
    ),
    ("Tenho consulta na terça", "Minha consulta foi remarcada para quinta", "Tem consulta na quinta."),
    ("I have asthma", "my asthma is gone", "Their asthma is gone."),
    ("I have eczema", "my eczema finally cleared up", "Their eczema finally cleared up."),
    ("Ich habe Migräne", "meine Migräne ist weg", "Migräne ist vorbei."),
    ("I drink coffee every morning", "no more coffee for me", "No more coffee for them."),
    ("I have a cat called Minka", "We gave Minka away", "Gave Minka away."),
    ("I have a dog called Rex", "our dog Rex passed away", "Their dog Rex passed away."),
    ("I'm a nurse", "I'm not a nurse anymore, I teach now", "Is no longer a nurse."),
    (
        "Je suis allergique aux noix",
        "finalement je ne suis pas allergique aux noix",
        "N'est pas allergique aux noix.",
    ),
    (
        "My sister Ines lives in Bristol",
        "Ines moved to London",
        "Has a sister named Ines who lives in London.",
    ),
    (
        "I take lisinopril in the morning",
        "Doctor took me off the lisinopril",
        "Doctor took them off the lisinopril.",
    ),
    ("I take metformin every day", "I came off metformin", "Came off metformin."),
    ("I take ibuprofen every day", "I had to stop the ibuprofen", "Had to stop the ibuprofen."),
    ("I use neovim", "I stopped using neovim last month", "Stopped using neovim last month."),
    ("my boyfriend Tom", "tom and i broke up", "Broke up with Tom."),
    ("My husband Andreu is allergic to cats", "Andreu and I separated", "Broke up with Andreu."),
    ("I have a dog called Rex", "Rex died last week", "Rex died last week."),
    ("I have a dog called Rex", "we had to put Rex down", "Had to put Rex down."),
    ("My dad has diabetes", "Dad passed away in March", "Dad passed away in March."),
    ("I drive a Ford", "I sold the Ford", "Sold the Ford."),
    ("I work at Kessler", "I quit Kessler. Starting soon elsewhere", "Quit Kessler."),
    ("my son Leo is allergic to eggs", "Leo outgrew the egg allergy", "Leo outgrew the egg allergy."),
    ("I'm running the Bristol 10k in May", "the Bristol 10k got cancelled", "Bristol 10k was cancelled."),
    ("I quit coffee", "I drink coffee again", "Drinks coffee."),
    ("I'm allergic to peanuts", "I can eat peanuts again", "Can eat peanuts."),
    ("I have an egg allergy", "I outgrew my egg allergy", "Outgrew their egg allergy."),
    ("I'm running the Bristol 10k in May", "We called off the Bristol 10k", "Called off the Bristol 10k."),
    ("I can't drink milk", "I can drink milk again", "Can drink milk."),
    ("Ich nehme jeden Morgen Losartan", "Ich habe das Losartan abgesetzt", "Hat Losartan aufgegeben."),
    ("Ich habe einen Hund namens Rex", "Rex ist letzte Woche gestorben", "Rex ist gestorben."),
    ("mi novio se llama Andreu", "Andreu y yo nos separamos", "Se separó de Andreu."),
    ("tenho um cachorro chamado Rex", "o Rex morreu ontem", "Rex morreu."),
    ("I live in Leeds", "no, I said Leicester, not Leeds", "Lives in Leicester."),
    ("Ich wohne in Leeds", "Nein, ich sagte Leicester, nicht Leeds", "Wohnt in Leicester."),
    ("my manager is Denise", "I said Denise, I mean Denisa", "Has a manager named Denisa."),
    ("my manager is Denise", "sorry, I said Denise but I meant Denisa.", "Has a manager named Denisa."),
    ("Ich wohne in Leeds", "Ich sagte Leeds, ich meine Leicester.", "Wohnt in Leicester."),
    ("Vivo en Lima", "Dije Lima, pero quise decir Cusco", "Vive en Cusco."),
    ("Moro em Recife", "Eu disse Recife, mas quis dizer Natal", "Mora em Natal."),
    ("J'habite à Lyon", "J'ai dit Lyon, je voulais dire Nantes", "Habite à Nantes."),
    (
        "I'm training for the City2Surf in August",
        "no, I meant the Blackmores half marathon, not City2Surf",
        "Is training for the Blackmores half marathon in August.",
    ),
]
STAYS = [
    ("I live in Leeds", "I said Leeds, I mean it"),
    ("I live in Leeds", "I said Leeds, I mean Leeds in Alabama"),
    ("I have a dentist appointment on Tuesday.", "The dentist moved to Berlin."),
    ("I have a dentist appointment on Tuesday.", "The dentist is nice, not mean."),
    ("I have a dentist appointment on Tuesday.", "Was the dentist moved to Thursday?"),
    (
        "I have a dentist appointment on Tuesday. I have a dentist checkup on Friday.",
        "The dentist was moved to Monday.",
    ),
    ("I have asthma", "my son's asthma is gone"),
    ("I have asthma", "is my asthma gone?"),
    ("I am allergic to peanuts", "my brother is not allergic to peanuts"),
    ("I am allergic to peanuts", "I'm not allergic to work"),
    ("I am allergic to peanuts and eggs", "I'm not allergic to peanuts"),
    ("I take losartan every morning", "I didn't take losartan this morning"),
    ("I take losartan every morning", "I don't take losartan on weekends"),
    ("I take losartan every morning", "I don't take losartan today"),
    ("I take losartan every morning", "If I don't take losartan, I get dizzy"),
    ("I take losartan every morning", "What if I don't take losartan?"),
    ("I take losartan every morning", "My friend says I don't take losartan"),
    ("I take losartan every morning", "I wish I came off losartan"),
    ("I take losartan every morning", "I almost stopped taking losartan"),
    ("I take losartan every morning", "I want to stop taking losartan"),
    ("I take losartan every morning", "I stopped taking losartan for two days"),
    ("I drink coffee every morning", "I don't drink coffee after lunch"),
    ("I drink coffee every morning", "I don't drink coffee, at least not at work"),
    ("I use neovim", "I don't use neovim for Python"),
    ("I use neovim", '"I don\'t use neovim anymore", she said'),
    ("I use neovim", "Write a story: I don't use neovim anymore"),
    ("I use neovim", "yeah right, I don't use neovim anymore"),
    ("I'm vegan", "I'm not Swedish"),
    ("I have asthma", "I don't have asthma attacks"),
    ("my daughter has asthma", "I don't have asthma"),
    ("I have a dog called Rex", "my neighbour's dog died"),
    ("I have a dog called Rex", "Tom's dog Rex died"),
    ("I have a dog called Rex", "Did I tell you Rex died?"),
    ("my brother Tom", "Tom and I split up at the mall"),
    ("I work at Kessler", "I left Kessler at five"),
    ("I work at Kessler", "my sister quit Kessler"),
    ("I drive a Ford", "my dad sold the Ford"),
    ("I drive a Ford", "I don't drive"),
    ("I play tennis on Sundays", "I don't play tennis on Mondays"),
    ("My son Leo is allergic to eggs", "Tom outgrew the egg allergy"),
    ("I live in Leeds", "I prefer Leicester, not Leeds"),
    ("I live in Bonn", "it's Berlin, not Bonn, that is the capital"),
    ("I like tea", "I don't like tea with milk"),
    ("I'm a fan of Arsenal", "I tried that show, I'm not a fan"),
    ("I work at Kessler", "I left Kessler in a hurry"),
    ("My son Leo is 2", "we put Leo down"),
    ("my dog Rex", "Rex died in the game"),
    ("I'm allergic to peanuts", "We have peanuts again"),
    ("I'm vegan", "I'm not vegan because of the animals"),
    ("Mon chien s'appelle Rex", "Rex est mort de rire"),
    ("Mi perro se llama Rex", "Rex murió de risa"),
    ("My sister Ines lives in Bristol", "My boss moved to London"),
    ("My sister Ines lives in Bristol", "Ines moved to the couch"),
    ("my brother Tom", "my character Tom died"),
    ("tengo asma", "mi hermano no tiene asma"),
    ("Ich nehme jeden Morgen Losartan", "Ich nehme heute kein Losartan"),
]


def known_from(text: str) -> list[KnownFact]:
    candidates = profile_candidates(said(text))
    return [
        KnownFact(content=one.content, slot=one.slot, memory_id=MemoryId(n))
        for n, one in enumerate(candidates, start=1)
    ]


def endings_in(text: str) -> Iterator[Draft]:
    """What rows read in a text, of all that the other texts teach."""
    known = [fact for before, _, _ in [*DENIED, *ENDED] for fact in known_from(before)]
    language = language_of(text)
    return (found.draft for found in endings(spoken(text, language), language, known))


def ending(candidates: tuple[Candidate, ...]) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.content, one.ends) for one in candidates if one.ends]


@pytest.mark.parametrize(("before", "text", "content"), [*DENIED, *ENDED])
def test_what_is_ended_is_named_with_what_was_said(before: str, text: str, content: str) -> None:
    """Of what is known, by the words of the user."""
    assert ending(profile_candidates(said(text), known_from(before))) == [(content, (1,))]


@pytest.mark.parametrize(("before", "text", "content"), [*DENIED, *ENDED])
def test_what_is_not_known_is_not_ended(before: str, text: str, content: str) -> None:
    """An ending of nothing ends nothing."""
    unrelated = [KnownFact(content="Likes opera.", slot="taste.opera", memory_id=MemoryId(7))]
    assert ending(profile_candidates(said(text), unrelated)) == []


@pytest.mark.parametrize(("before", "text"), STAYS)
def test_what_is_not_clearly_ended_stays(before: str, text: str) -> None:
    """Hypotheticals, questions, quotations, others' affairs, exceptions and what holds for a day end nothing."""
    known = known_from(before)
    assert known
    assert ending(profile_candidates(said(text), known)) == []


def test_what_one_window_says_and_ends_is_not_proposed() -> None:
    """The last word of a window counts."""
    found = profile_candidates(said("I take losartan every morning.", "I don't take losartan anymore."))
    assert [one.content for one in found] == ["No longer takes losartan."]


FORGOTTEN = [
    (
        "I'm allergic to peanuts. I live in Berlin.",
        "Forget what I said about peanuts",
        "Is allergic to peanuts.",
    ),
    ("I'm vegan. I live in Berlin.", "please forget that I'm vegan.", "Is vegan."),
    ("I'm vegan. I live in Berlin.", "forget that I live in Berlin, thanks", "Lives in Berlin."),
    ("I'm vegan. I'm allergic to peanuts.", "Forget my peanut allergy.", "Is allergic to peanuts."),
    ("Ich bin vegan. Ich wohne in Berlin.", "Vergiss bitte, dass ich in Berlin wohne.", "Wohnt in Berlin."),
    (
        "Ich bin allergisch gegen Nüsse. Ich wohne in Berlin.",
        "Vergiss, was ich über Nüsse gesagt habe.",
        "Ist allergisch gegen Nüsse.",
    ),
    (
        "Ich bin allergisch gegen Nüsse. Ich wohne in Berlin.",
        "Vergessen Sie bitte, was ich über Nüsse gesagt habe.",
        "Ist allergisch gegen Nüsse.",
    ),
    (
        "Je suis allergique aux noix. J'habite à Lyon.",
        "Oublie ce que j'ai dit sur les noix",
        "Est allergique aux noix.",
    ),
    ("Je suis végétarienne. J'habite à Lyon.", "Oublie que j'habite à Lyon.", "Habite à Lyon."),
    ("Soy vegana. Vivo en Lima.", "Olvida que vivo en Lima", "Vive en Lima."),
    ("Soy vegana. Vivo en Lima.", "Por favor olvida lo que dije de Lima", "Vive en Lima."),
    ("Sou vegano. Moro em Recife.", "Esquece que sou vegano", "É vegano."),
    ("Sou vegano. Moro em Recife.", "Esqueça o que eu disse sobre Recife.", "Mora em Recife."),
]
REMEMBERED = [
    ("I'm vegan.", "Don't forget that I'm vegan."),
    ("I'm vegan.", "Forget it."),
    ("I'm vegan.", "Forget that."),
    ("I'm vegan.", "Forget everything I said about it."),
    ("I like salad.", "Forget the salad, what about soup?"),
    ("I like salad.", "I always forget what I said about salad"),
    ("I like salad.", "Did you forget that I like salad?"),
    ("I like salad.", 'He said "forget what I said about salad".'),
    ("I'm vegan.", "My sister said: forget that I'm vegan."),
    ("Ich bin vegan.", "Vergiss nicht, dass ich vegan bin."),
    ("Je suis allergique aux noix.", "N'oublie pas que je suis allergique aux noix."),
    ("Soy vegana.", "No olvides que soy vegana."),
    ("Sou vegano.", "Não esqueça que sou vegano."),
]


@pytest.mark.parametrize(("before", "text", "gone"), FORGOTTEN)
def test_what_is_to_be_forgotten_ends_and_nothing_is_learned(before: str, text: str, gone: str) -> None:
    """Only what names it, and only so that it ends."""
    known = known_from(before)
    [asked] = profile_candidates(said(text), known)
    assert asked.forgets
    assert [fact.content for fact in known if fact.memory_id in asked.ends] == [gone]


@pytest.mark.parametrize(("before", "text"), REMEMBERED)
def test_what_is_not_to_be_forgotten_stays(before: str, text: str) -> None:
    """What is asked not to be forgotten, what is not named, and what others say."""
    found = profile_candidates(said(text), known_from(before))
    assert not any(one.forgets or one.ends for one in found)


def test_what_is_to_be_forgotten_is_not_learned_from_the_asking() -> None:
    """Neither from the same window nor where nothing is known of it."""
    assert profile_candidates(said("I'm allergic to peanuts.", "Forget what I said about peanuts.")) == ()
    assert profile_candidates(said("Forget my peanut allergy.")) == ()


def test_a_correction_is_of_what_was_said_last() -> None:
    """The other place is another one's."""
    known = [
        KnownFact(
            content="Has a sister who lives in Leeds.", slot="relation.sister.home", memory_id=MemoryId(1)
        ),
        KnownFact(content="Lives in Leeds.", slot="location.home", memory_id=MemoryId(2)),
    ]
    [found] = profile_candidates(said("No, I said Leicester, not Leeds."), known)
    assert (found.content, found.slot, found.exclusive, found.ends) == (
        "Lives in Leicester.",
        "location.home",
        True,
        (2,),
    )


def test_a_thing_is_what_is_named_and_no_part_of_it() -> None:
    """Milk tea is no milk."""
    known = [KnownFact(content="Drinks milk tea.", slot="diet.drink.milk_tea", memory_id=MemoryId(1))]
    assert ending(profile_candidates(said("I quit milk."), known)) == []
    assert ending(profile_candidates(said("I quit milk tea."), known)) == [("Quit milk tea.", (1,))]


def test_one_of_several_is_not_ended_without_its_name() -> None:
    """Which meeting it is cannot be told."""
    known = [
        KnownFact(content=f"Has a meeting with {name}.", slot=f"plan.meeting_{name}", memory_id=MemoryId(n))
        for n, name in enumerate(("Ann", "Bob"))
    ]
    assert ending(profile_candidates(said("The meeting got cancelled."), known)) == []


@pytest.mark.parametrize("text", [text for _, text, _ in [*DENIED, *ENDED]])
def test_memories_are_looked_for_where_something_may_end(text: str) -> None:
    """The words by which a text is chosen are those of the tables."""
    assert (
        what_may_end(f"Thanks. {text}") == text
        if not text.count(". ")
        else text.startswith(what_may_end(text))
    )


def test_other_texts_ask_for_no_memories() -> None:
    """Most turns end nothing."""
    assert what_may_end("Which train goes to Basel? I live in Bern and like cheese.") == ""


def test_every_row_has_an_example() -> None:
    """In English: of each meaning some sentence above is said."""
    told = {draft.rule for _, text, _ in [*DENIED, *ENDED] for draft in [*endings_in(text)]}
    assert told >= {"corrected", "moved", "denied", *(row.name for row in ENDINGS)}


def test_tables_are_of_languages_that_are_read() -> None:
    """A language with endings has denials and corrections too."""
    assert (
        LEXICONS.keys()
        == CORRECTIONS.keys()
        == FORGOTTEN_BY.keys()
        == RESCHEDULED.keys()
        == {"en", *LANGUAGES}
    )
    assert all(row.says.keys() <= LEXICONS.keys() for row in ENDINGS)
    assert all(row.gives.keys() <= row.says.keys() <= {"en", *row.gives} for row in ENDINGS)
