import { createNotifier } from '@sendonce/core';
import { hashText } from '../kernel/draw.ts';
import { knownBadSender } from '../senders/index.ts';
import type { Sender } from '../senders/sender.ts';
import type { WorkloadSpec } from '../workload.ts';
import { knobsOf } from '../world/knobs.ts';
import { makeWorkload } from '../workload/make-workload.ts';
import { sharedClock } from './clock.ts';
import { processConfig } from './config.ts';
import { fifoGate, openGate } from './gate.ts';
import { caller } from './loopback.ts';
import type { OpenLedger, OpenQueue } from './opening.ts';
import { ordersFromParent } from './orders-from-parent.ts';
import type { WorkOrders } from './orders.ts';
import { ledgerTerms, queueTerms } from './terms.ts';

export interface Openers {
  readonly openLedger: OpenLedger;
  readonly openQueue: OpenQueue;
}

/** The whole life of a worker process: real core code until it is told to stop, or killed. */
export async function runWorkerProcess({ openLedger, openQueue }: Openers): Promise<void> {
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  const orders = await ordersFromParent<WorkOrders>();
  const { name, setup, seed, channels, clock: clockOrders, gate: gateOrders } = orders;
  const knobs = knobsOf(setup.knobs);
  const clock = sharedClock(clockOrders);
  const gate = gateOrders === null ? openGate : fifoGate(gateOrders);
  // Who is written to comes out of the ledger; here only what is written is made.
  const spec: WorkloadSpec | null = orders.isListed ? { kind: 'recipients', targets: [], doubles: [] } : null;
  const workload = makeWorkload(spec, setup, hashText(seed), knobs);
  const config = processConfig({
    name,
    setup,
    knobs,
    workload,
    channels,
    ledger: await openLedger(
      orders.ledger,
      ledgerTerms(knobs, () => clock.now()),
    ),
    queue: orders.queue === null ? null : await openQueue(orders.queue, queueTerms(knobs)),
    caller: caller(orders.port),
    clock,
    speed: clockOrders.speed,
    gate,
  });
  const options = { ...config.worker, name };
  const sender: Sender =
    setup.sender === null ? createNotifier(config).worker(options) : madeBy(setup.sender).make(config, options);
  await gate.pass('worker.start', { args: null, make: () => Promise.resolve() });
  await sender.run({ signal: stop.signal });
  await config.queue?.close();
  await config.ledger.close();
}

function madeBy(name: string): NonNullable<ReturnType<typeof knownBadSender>> {
  const sender = knownBadSender(name);
  if (sender === undefined) throw new Error(`there is no known-bad sender '${name}'`);
  return sender;
}
