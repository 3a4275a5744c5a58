import {
  isSendonceError,
  notificationId,
  type AddressRules,
  type Ledger,
  type NotificationRecord,
  type NotificationType,
  type Notifier,
  type PublishManyResult,
  type SendonceError,
} from '@sendonce/core';
import { answering } from '../operate/answering.ts';
import { givenKey, madeKey } from './key-of.ts';
import type { People } from './people.ts';
import { checkSamePeople } from './same-people.ts';
import { refusedLine, type Place, type SendLine } from './send-line.ts';

export interface PublisherOptions {
  readonly notifier: Notifier<Record<string, NotificationType>>;
  readonly ledger: Ledger;
  readonly name: string;
  readonly type: NotificationType;
  readonly tenant: string | null;
  readonly keyColumn: string | null;
  readonly people: People | null;
  /** Recipients per page of the ledger. */
  readonly pageSize: number;
  readonly rules: AddressRules;
}

/** One notification to be. */
export interface Item {
  readonly place: Place;
  readonly data: unknown;
  /** Null: the row or its type says it. */
  readonly key: string | null;
}

/** Publishes items in their order and says what became of each. What one of them is refused for loses nobody else. */
export class Publisher {
  readonly #options: PublisherOptions;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /**
   * One ledger call for all of them; with a list of recipients one after the other.
   * @throws SendonceError LEDGER_UNAVAILABLE and the like: some may be accepted, and publishing them again is safe.
   */
  async publish(items: readonly Item[]): Promise<readonly SendLine[]> {
    const keyed = items.map((item) => this.#keyed(item));
    const good = keyed.filter((each): each is Item => 'data' in each);
    const lines = [...(await this.#accept(good))];
    return keyed.map((each) => ('data' in each ? lines.shift()! : each));
  }

  #keyed(item: Item): Item | SendLine {
    const { type, keyColumn: column } = this.#options;
    try {
      return { ...item, key: item.key ?? givenKey(item.data, { column, type, isRow: item.place.line !== null }) };
    } catch (error) {
      if (!isSendonceError(error)) throw error;
      return refusedLine(item.place, error);
    }
  }

  async #accept(items: readonly Item[]): Promise<readonly SendLine[]> {
    if (items.length === 0) return [];
    const { notifier, name, tenant, people } = this.#options;
    const options = items.map(({ data, key }) => ({
      data,
      ...(key === null ? {} : { key }),
      ...(tenant === null ? {} : { tenant }),
    }));
    if (people === null) {
      const results = await answering('accept', notifier.publishMany(name, options));
      return Promise.all(results.map((result, at) => this.#lineOf(items[at]!, result)));
    }
    const lines: SendLine[] = [];
    for (const [at, each] of options.entries()) {
      const [result] = await notifier.publishMany(name, [{ ...each, recipients: people.read() }]);
      lines.push(await this.#lineOf(items[at]!, result!));
    }
    return lines;
  }

  async #lineOf(item: Item, result: PublishManyResult): Promise<SendLine> {
    if (result.kind === 'failed') return this.#refused(item, result.error);
    const { kind, id, record } = result;
    const conflict = kind === 'repeated' ? await this.#otherPeople(record) : null;
    if (conflict !== null) return this.#refused(item, conflict);
    return { result: kind, id, key: record.key, ...item.place, error: null };
  }

  /** @throws SendonceError what is no fault of the row: it may be published again as it is. */
  async #refused(item: Item, error: SendonceError): Promise<SendLine> {
    if (error.code.startsWith('LEDGER_') || error.code === 'PUBLISH_INTERRUPTED') throw error;
    const { name, type, tenant } = this.#options;
    const key = item.key ?? (await madeKey(item.data, type));
    const line = refusedLine(item.place, error, { id: null, key });
    if (line.result !== 'conflict' || key === null) return line;
    return { ...line, id: notificationId(tenant ?? 'default', name, key) };
  }

  async #otherPeople(record: NotificationRecord): Promise<SendonceError | null> {
    const { people, ledger, pageSize, rules } = this.#options;
    if (people === null) return null;
    try {
      await checkSamePeople(ledger, record, people, { pageSize, rules });
      return null;
    } catch (error) {
      if (isSendonceError(error, 'NOTIFICATION_CONFLICT')) return error;
      throw error;
    }
  }
}
