import type { ByteReader, ByteWriter } from './bytes.ts';

/** Rows of bytes kept outside the heap, addressed by a number. A million rows cost their bytes, and the garbage collector nothing. */
export interface Arena {
  /** Copies what was written; answers its address, a whole number below 2^32. */
  write(row: ByteWriter): number;
  /** Sets the reader to the start of the row. A row does not know its length: its reader does. */
  locate(address: number, reader: ByteReader): void;
  /** Gives a row up; its chunk is dropped when no row of it is left. */
  free(address: number): void;
}

/** Chunks given up by one arena, for the next to use: the collector alone would let them pile up. */
export type ChunkPool = Buffer[];

const CHUNK_BYTES = 1 << 20;
/** Rows begin at multiples of it, so that 32 bits address 16 GB. */
const GRAIN = 4;
const GRAINS_PER_CHUNK = CHUNK_BYTES / GRAIN;
const MOST_CHUNKS = 2 ** 32 / GRAINS_PER_CHUNK;

interface Chunk {
  readonly bytes: Buffer;
  used: number;
  rows: number;
}

export function arena(pool: ChunkPool): Arena {
  const chunks: (Chunk | undefined)[] = [];
  const vacant: number[] = [];
  let current = -1;

  function open(size: number): Chunk {
    const bytes =
      size > CHUNK_BYTES ? Buffer.allocUnsafeSlow(size) : (pool.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES));
    const chunk: Chunk = { bytes, used: 0, rows: 0 };
    const full = current;
    current = vacant.pop() ?? chunks.length;
    if (current >= MOST_CHUNKS) throw new RangeError('the memory ledger is full: it holds 16 GB of rows');
    chunks[current] = chunk;
    if (full >= 0) dropIfEmpty(full);
    return chunk;
  }

  function dropIfEmpty(index: number): void {
    const chunk = chunks[index];
    if (index === current || chunk?.rows !== 0) return;
    chunks[index] = undefined;
    vacant.push(index);
    if (chunk.bytes.length === CHUNK_BYTES) pool.push(chunk.bytes);
  }

  function chunkOf(address: number): Chunk {
    const chunk = chunks[Math.floor(address / GRAINS_PER_CHUNK)];
    if (chunk === undefined) throw new RangeError(`no row at ${address}`);
    return chunk;
  }

  return {
    write({ bytes, length }) {
      let chunk = chunks[current];
      if (chunk === undefined || chunk.used + length > chunk.bytes.length) chunk = open(length);
      const at = chunk.used;
      bytes.copy(chunk.bytes, at, 0, length);
      // A row longer than a chunk has one of its own, so no other begins in it.
      chunk.used = Math.ceil((at + length) / GRAIN) * GRAIN;
      chunk.rows += 1;
      return current * GRAINS_PER_CHUNK + at / GRAIN;
    },
    locate(address, reader) {
      reader.bytes = chunkOf(address).bytes;
      reader.at = (address % GRAINS_PER_CHUNK) * GRAIN;
    },
    free(address) {
      chunkOf(address).rows -= 1;
      dropIfEmpty(Math.floor(address / GRAINS_PER_CHUNK));
    },
  };
}
