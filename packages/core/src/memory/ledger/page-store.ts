import { fingerprint } from '../../model/keys.ts';
import type { Target } from '../../model/recipient.ts';
import { arena, type ChunkPool } from './arena.ts';
import { byteReader, byteWriter, type ByteWriter } from './bytes.ts';
import type { TargetCodec } from './target-codec.ts';

/** The targets of pages that wait to be expanded. Equal targets make equal bytes, so a fingerprint tells pages apart. */
export interface PageStore {
  write(targets: readonly Target[]): number;
  read(address: number): readonly Target[];
  free(address: number): void;
  fingerprintOf(targets: readonly Target[]): string;
  fingerprintAt(address: number): string;
}

export function pageStore(pool: ChunkPool, targets: TargetCodec): PageStore {
  const pages = arena(pool);
  const reader = byteReader();
  const lengths = new Map<number, number>();
  let writer: ByteWriter | null = null;

  function written(page: readonly Target[]): ByteWriter {
    writer ??= byteWriter();
    writer.reset();
    writer.number(page.length);
    for (const target of page) targets.write(writer, target);
    return writer;
  }

  return {
    write(page) {
      const row = written(page);
      const address = pages.write(row);
      lengths.set(address, row.length);
      return address;
    },
    read(address) {
      pages.locate(address, reader);
      return Array.from({ length: reader.number() }, () => targets.read(reader));
    },
    free(address) {
      lengths.delete(address);
      pages.free(address);
    },
    fingerprintOf(page) {
      const { bytes, length } = written(page);
      return fingerprint(bytes.toString('latin1', 0, length));
    },
    fingerprintAt(address) {
      pages.locate(address, reader);
      const { bytes, at } = reader;
      return fingerprint(bytes.toString('latin1', at, at + (lengths.get(address) ?? 0)));
    },
  };
}
