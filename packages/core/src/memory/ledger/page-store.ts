import { fingerprint } from '../../model/keys.ts';
import type { Target } from '../../model/recipient.ts';
import { arena, type ChunkPool } from './arena.ts';
import { byteReader, byteWriter, type ByteWriter } from './bytes.ts';
import type { TargetCodec } from './target-codec.ts';

/**
 * The targets of pages that wait to be expanded. Equal targets make equal bytes, so a fingerprint tells pages apart. The first few are
 * kept as they came, at addresses below 0.
 */
export interface PageStore {
  write(targets: readonly Target[]): number;
  read(address: number): readonly Target[];
  free(address: number): void;
  /** Whether giving it up would save bytes: the first few are kept for good. */
  isWorthFreeing(address: number): boolean;
  fingerprintOf(targets: readonly Target[]): string;
  fingerprintAt(address: number): string;
}

/** Of so many, in the life of a ledger, bytes and fingerprints save no memory worth their time: a twentieth of a run of 2,000. */
const MOST_KEPT = 5_000;

export function pageStore(pool: ChunkPool, targets: TargetCodec, mostKept: number = MOST_KEPT): PageStore {
  const pages = arena(pool);
  const reader = byteReader();
  const lengths = new Map<number, number>();
  let writer: ByteWriter | null = null;
  const kept = new Map<number, readonly Target[]>();
  let keptTargets = 0;
  let nextKept = -1;

  function written(page: readonly Target[]): ByteWriter {
    writer ??= byteWriter();
    writer.reset();
    writer.number(page.length);
    for (const target of page) targets.write(writer, target);
    return writer;
  }

  function fingerprintOf(page: readonly Target[]): string {
    const { bytes, length } = written(page);
    return fingerprint(bytes.toString('latin1', 0, length));
  }

  return {
    write(page) {
      if (keptTargets + page.length <= mostKept) {
        kept.set(nextKept, page);
        keptTargets += page.length;
        return nextKept--;
      }
      const row = written(page);
      const address = pages.write(row);
      lengths.set(address, row.length);
      return address;
    },
    read(address) {
      const page = kept.get(address);
      if (page !== undefined) return page;
      pages.locate(address, reader);
      return Array.from({ length: reader.number() }, () => targets.read(reader));
    },
    free(address) {
      keptTargets -= kept.get(address)?.length ?? 0;
      if (kept.delete(address)) return;
      lengths.delete(address);
      pages.free(address);
    },
    isWorthFreeing: (address) => !kept.has(address),
    fingerprintOf,
    fingerprintAt(address) {
      const page = kept.get(address);
      if (page !== undefined) return fingerprintOf(page);
      pages.locate(address, reader);
      const { bytes, at } = reader;
      return fingerprint(bytes.toString('latin1', at, at + (lengths.get(address) ?? 0)));
    },
  };
}
