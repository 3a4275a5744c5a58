import { createNotifier, type DeliveryRecord, type NotifierConfig } from '@sendonce/core';
import type { OperatorAction } from '../faults/kind.ts';
import { SCRIPT_KILLED_AFTER_MS } from '../faults/lengths.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { begin, end, newProcess, type Life } from '../kernel/process.ts';
import type { Emitter } from './emitter.ts';
import type { Send } from './provider.ts';

type Notifier = ReturnType<typeof createNotifier>;

const NOTE = { by: 'operator', why: 'simulated' } as const;

export interface OperatorParts {
  readonly kernel: Kernel;
  readonly emitter: Emitter;
  readonly restartMs: number;
  readonly configFor: (life: Life) => NotifierConfig;
  readonly later: (ms: number, action: () => void) => void;
}

/** The people and the webhooks: they act through the notifier, as a process of their own each. */
export class Operator {
  readonly #parts: OperatorParts;
  #acting = 0;
  #processes = 0;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#acting > 0;
  }

  /** Does it, and resolves when the ledger has answered; or when it could not be done, or its process died over it. */
  operate(action: OperatorAction, deliveryId: string): Promise<void> {
    return this.#acts(async () => {
      switch (action) {
        case 'cancel':
          return void (await this.#notifier().cancel([deliveryId], NOTE));
        case 'cancel-notification':
          return this.#cancelNotification(deliveryId);
        case 'opt-out':
          return this.#optOut(deliveryId);
        case 'replay':
          return void (await this.#notifier().replay([deliveryId], NOTE));
        case 'replay-twice':
          return void (await Promise.all(
            [this.#notifier(), this.#notifier()].map((one) => one.replay([deliveryId], NOTE)),
          ));
        case 'replay-killed':
          return this.#replayAndDie();
      }
    });
  }

  /** The provider's webhook says that the message bounced. */
  bounced({ provider, message }: Send, providerMessageId: string): Promise<void> {
    return this.#acts(async () => {
      const { deliveryId } = message;
      const evidence = {
        deliveryId,
        provider: provider.name,
        providerMessageId,
        kind: 'bounced',
        at: this.#parts.kernel.now,
        detail: '550',
      } as const;
      await this.#notifier('webhook').record([evidence]);
    });
  }

  async #acts(action: () => Promise<void>): Promise<void> {
    this.#acting++;
    try {
      await action();
    } catch {
      // The store was out of reach: a person would try again another day.
    } finally {
      this.#acting--;
    }
  }

  #notifier(name = 'operator'): Notifier {
    return this.#begin(name).notifier;
  }

  #begin(name: string): { readonly life: Life; readonly notifier: Notifier } {
    const life = begin(newProcess(this.#processes++ === 0 ? name : `${name}${this.#processes}`));
    return { life, notifier: createNotifier(this.#parts.configFor(life)) };
  }

  async #cancelNotification(deliveryId: string): Promise<void> {
    const notifier = this.#notifier();
    const record = await find(notifier, deliveryId);
    if (record !== null) await notifier.cancel([record.notificationId], NOTE);
  }

  async #optOut(deliveryId: string): Promise<void> {
    const notifier = this.#notifier();
    const record = await find(notifier, deliveryId);
    if (record === null) return;
    const { tenant, target } = record;
    await notifier.suppress([
      { tenant, recipientId: target.recipientId, topic: '*', channel: '*', suppressed: true, ...NOTE },
    ]);
  }

  /** All dead letters, twice: the first time its process dies in the middle, and the second time is a while after. */
  async #replayAndDie(): Promise<void> {
    const { kernel, later, restartMs, configFor, emitter } = this.#parts;
    const { life } = this.#begin('operator');
    const ledger = configFor(life).ledger;
    const { items } = await ledger.list({ states: ['dead', 'failed', 'parked'] }, { limit: 1_000 });
    const ids = items.map(({ id }) => id);
    void createNotifier(configFor(life))
      .replay(ids, NOTE)
      .catch(() => undefined);
    await new Promise<void>((resolve) => later(SCRIPT_KILLED_AFTER_MS, resolve));
    end(life.process);
    emitter.emit({
      at: kernel.now,
      process: life.process.name,
      kind: 'process',
      what: 'kill',
      why: 'in the middle of a replay',
    });
    void this.#acts(async () => {
      await new Promise<void>((resolve) => later(restartMs, resolve));
      await this.#notifier().replay(ids, NOTE);
    });
  }
}

async function find(notifier: Notifier, deliveryId: string): Promise<DeliveryRecord | null> {
  const found = await notifier.find(deliveryId);
  return found !== null && 'target' in found ? found : null;
}
