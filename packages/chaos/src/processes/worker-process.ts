import { createNotifier, type Ledger } from '@sendonce/core';
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
import { ordersFromParent } from './orders-from-parent.ts';
import type { WorkOrders } from './orders.ts';

/** Opens the ledger that an address names, on the clock that all processes of the run share. */
export type OpenLedger = (address: string, now: () => number) => Ledger | Promise<Ledger>;

/** The whole life of a worker process: real core code until it is told to stop, or killed. */
export async function runWorkerProcess(openLedger: OpenLedger): Promise<void> {
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
    ledger: await openLedger(orders.ledger, () => clock.now()),
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
  await config.ledger.close();
}

function madeBy(name: string): NonNullable<ReturnType<typeof knownBadSender>> {
  const sender = knownBadSender(name);
  if (sender === undefined) throw new Error(`there is no known-bad sender '${name}'`);
  return sender;
}
