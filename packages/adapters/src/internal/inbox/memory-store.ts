import type { InboxState } from './inbox.ts';
import { isUnread, moveAll } from './moves.ts';
import { nameOf, type Box, type Changed, type InboxStore, type Move, type Owner, type StoredMessage } from './store.ts';

interface MemoryBox {
  readonly key: string;
  seq: number;
  unread: number;
  removed: number;
  /** By id, in the order of their positions. */
  readonly rows: Map<string, StoredMessage>;
}

const IS_IN: Readonly<Record<InboxState, (row: StoredMessage) => boolean>> = {
  inbox: ({ archivedAt }) => archivedAt === null,
  unread: isUnread,
  archived: ({ archivedAt }) => archivedAt !== null,
  all: () => true,
};

/** In this process alone; gone with it. Its calls look at every message of an inbox. */
export function memoryStore(now: () => number): InboxStore {
  const boxes = new Map<string, MemoryBox>();
  let keys = 0;
  const boxOf = (owner: Owner): MemoryBox | undefined => boxes.get(nameOf(owner));
  const shown = (box: MemoryBox | undefined): Box | null =>
    box === undefined ? null : { key: box.key, seq: box.seq, unread: box.unread, removed: box.removed };

  function change(box: MemoryBox, move: Move, rows: readonly StoredMessage[]): Changed {
    const moved = moveAll(rows, box, { move, now: now() });
    for (const row of moved.rows) box.rows.set(row.id, row);
    Object.assign(box, { seq: moved.seq, unread: moved.unread });
    return { box: shown(box), changed: moved.rows.length };
  }

  return {
    async put(owner, items) {
      const box = boxOf(owner) ?? { key: String((keys += 1)), seq: 0, unread: 0, removed: 0, rows: new Map() };
      boxes.set(nameOf(owner), box);
      const fresh = items.filter(({ id }) => !box.rows.has(id));
      for (const { id, body } of fresh) {
        box.seq += 1;
        box.unread += 1;
        const { seq } = box;
        box.rows.set(id, { id, position: seq, change: seq, addedAt: now(), readAt: null, archivedAt: null, body });
      }
      return fresh.map(({ id }) => id);
    },
    async list(owner, { before, limit, state }) {
      const box = boxOf(owner);
      const rows = [...(box?.rows.values() ?? [])].filter((row) => row.position < before && IS_IN[state](row));
      return { box: shown(box), rows: rows.reverse().slice(0, limit) };
    },
    box: async (owner) => shown(boxOf(owner)),
    async mark(owner, move, ids) {
      const box = boxOf(owner);
      if (box === undefined) return { box: null, changed: 0 };
      return change(
        box,
        move,
        ids.flatMap((id) => box.rows.get(id) ?? []),
      );
    },
    async markSeen(owner, { key, at, most }) {
      const box = boxOf(owner);
      if (box === undefined || box.key !== key) return { box: shown(box), changed: 0 };
      const rows = [...box.rows.values()].filter((row) => row.position <= at && isUnread(row));
      return change(box, 'read', rows.slice(0, most));
    },
    async changes(owner, after, limit) {
      const box = boxOf(owner);
      const rows = [...(box?.rows.values() ?? [])].filter((row) => row.change > after);
      return { box: shown(box), rows: rows.sort((a, b) => a.change - b.change).slice(0, limit) };
    },
    async erase(owner) {
      const count = boxOf(owner)?.rows.size ?? 0;
      boxes.delete(nameOf(owner));
      return count;
    },
    async clean({ olderThanMs, max }) {
      const until = now() - olderThanMs;
      let count = 0;
      for (const [name, box] of boxes) {
        const before = count;
        for (const row of box.rows.values()) {
          if (count >= max) break;
          if (row.addedAt > until) continue;
          box.rows.delete(row.id);
          box.unread -= Number(isUnread(row));
          count += 1;
        }
        if (count > before) box.removed = box.seq += 1;
        if (box.rows.size === 0) boxes.delete(name);
      }
      return count;
    },
    close: async () => undefined,
  };
}
