"""Whether a text is a courtesy: a greeting, thanks, or assent, and nothing else."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_MOST_WORDS: Final = 6
_LONGEST: Final = 1_000
"""Characters of a text that may be a courtesy."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_COURTESY: Final = _set(
    "hi hello hey hiya howdy yo greetings welcome bye goodbye cya thanks thank thx ty cheers please you u "
    "hola gracias adiós adios buenas buenos días dias tardes noches muchas bonjour bonsoir salut merci "
    "beaucoup hallo danke bitte tschüss tschüs guten tag vielen dank olá ola obrigado obrigada tchau ciao "
    "grazie buongiorno hej tack merhaba teşekkürler teşekkür ederim cześć dziękuję привет здравствуйте "
    "спасибо пока γεια ευχαριστώ مرحبا شكرا السلام عليكم שלום תודה नमस्ते धन्यवाद สวัสดี ขอบคุณ xin chào "
    "cảm ơn 你好 您好 谢谢 謝謝 谢谢你 多谢 再见 こんにちは こんばんは "
    "ありがとう ありがとうございます おはよう おはようございます 안녕하세요 안녕 감사합니다 고마워요"
)
"""Greetings and thanks, which never say anything by themselves."""

_ASSENT: Final = _set(
    "ok okay k kk okey alright right sure fine good great nice cool awesome perfect excellent super wow lol "
    "haha amazing brilliant wonderful lovely helpful got it noted understood that's thats that this is very "
    "much so a lot all there everyone again see later soon for the your help morning afternoon evening night "
    "day vale claro genial perfecto d'accord parfait bonne soirée nuit gut alles klar muito bom boa dia tarde "
    "noite mate buddy folks you're schönen schöne abend noch perfeito ótimo ладно хорошо 好的 好 はい 네"
)
"""Acknowledgements and words around them: empty, unless they answer a question."""

_STRETCHED: Final = re.compile(r"(.)\1{2,}")


def is_courtesy(text: str, *, answers: bool = False) -> bool:
    """
    Whether a text has words, and all are of greetings, of thanks or, unless it *answers* a question, of assent.

    Every word that is not on the lists here makes it more than that, in any script.
    """
    if len(text.strip()) > _LONGEST:
        return False
    count = 0
    for count, word in enumerate(_words(text), 1):
        if count > _MOST_WORDS or not (word in _COURTESY or (word in _ASSENT and not answers)):
            return False
    return count > 0


def _words(text: str) -> Iterator[str]:
    """Yield lower-case words without punctuation and pictures; "heyyy" counts as "hey"."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    for part in plain.split():  # one by one, as the first words of most texts are no courtesy
        kept = "".join(
            c if c == "'" or unicodedata.category(c)[0] in "LNM" or c in "+#$€£¥%" else " " for c in part
        )
        yield from (_STRETCHED.sub(r"\1", word) for word in kept.split())
