"""A configuration that changes while a log is read: no turn is lost, none is read twice, no window is of two minds."""

from collections.abc import Sequence

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import Window
from sagacity.learning.extractors.base import Extraction
from sagacity.storage.transaction import Storage
from support.configs import kept_configs
from support.learning import Recorder, WordEmbedder, cursor, learned, learning, lines, one_a_turn, reading
from support.parts import ANNA, ORG, said


class Disturbed(Recorder):
    """An extractor during whose windows the configuration is set."""

    def __init__(self, storage: Storage, *configs: TenantConfig) -> None:
        super().__init__(one_a_turn)
        self._store, self._configs = kept_configs(storage), list(configs)

    async def extract(self, window: Window, known: Sequence[str]) -> Extraction:
        if self._configs:
            await self._store.set(ORG, self._configs.pop(0))
        return await super().extract(window, known)


def stepping(*extractors: Recorder):
    """Learners for these extractors with the configuration's own window, if it wants any."""

    def groups(config: TenantConfig, calls, **asked):
        chosen = extractors if config.profile_extractors() else ()
        return reading(*chosen, size=config.batch_size, step=config.batch_interval)(config, calls)

    return groups


def sized(size: int, step: int, **fields) -> TenantConfig:
    return TenantConfig.model_validate({"batch_size": size, "batch_interval": step, **fields})


async def test_window_set_while_one_is_read_loses_and_repeats_no_turn(storage: Storage, clock, ids) -> None:
    """Each turn is unread in one window alone, in order, by steps of the one or of the other configuration."""
    await storage.append(ORG, said(*lines(20)))
    seen = Disturbed(storage, sized(4, 2), sized(9, 3))
    learn = learning(storage, WordEmbedder(), clock, ids, groups=stepping(seen))
    await learn.run(ORG, ANNA)
    unread = [[turn.seq for turn in window.unread] for window in seen.windows]
    flat = [seq for window in unread for seq in window]
    assert flat == list(range(1, len(flat) + 1))
    assert len(flat) > 17  # no more waits than a step of the last one
    assert {len(window) for window in unread} <= {5, 2, 3}
    assert len(unread[0]) == 5  # it was begun before either was set
    assert (await cursor(storage)).seq == len(flat)
    before = len(seen.windows)
    await storage.append(ORG, said(*lines(6, 20), request_id="r2"))
    await learn.run(ORG, ANNA, force=True)
    assert {len(window.unread) for window in seen.windows[before:-1]} == {
        3
    }  # what begins now is by the last one
    assert [memory.content for memory in await learned(storage)] == lines(26)


async def test_kind_turned_off_goes_on_where_it_was(storage: Storage, clock, ids) -> None:
    """What came meanwhile is learned once the kind is on again; nothing of it is learned before."""
    await storage.append(ORG, said(*lines(5)))
    store, seen = kept_configs(storage), Recorder(one_a_turn)
    learn = learning(storage, WordEmbedder(), clock, ids, groups=stepping(seen))
    await learn.run(ORG, ANNA)
    await store.set(ORG, sized(10, 5, profile_extraction_enabled=False))
    await storage.append(ORG, said(*lines(5, 5), request_id="r2"))
    await learn.run(ORG, ANNA, force=True)
    assert len(await learned(storage)) == 5
    await store.set(ORG, sized(10, 5))
    await storage.append(ORG, said(*lines(5, 10), request_id="r3"))
    await learn.run(ORG, ANNA)
    assert [memory.content for memory in await learned(storage)] == lines(15)
    assert seen.stretches == [(1, 5), (6, 10), (11, 15)]
