import { SendonceError, type NotifierConfig } from '@sendonce/core';
import { isFields, shown } from '@sendonce/core/internal';
import { importFile, loadConfig } from '../config-file/load-config.ts';
import { flagWords } from '../simulate/again.ts';
import { isMaker, ownSuite, type Maker } from './from-module.ts';
import { PORT_NAMES, type PortName, type Suite } from './suite.ts';

/**
 * The suites of a config file: of what its export `verify` makes, else of its own queue and ledger, the file being loaded anew for each law.
 * What destinations and inboxes keep they do not say, so theirs are judged only where `verify` makes new ones.
 * What keeps what is written into it is not touched.
 * @throws SendonceError CONFIG_FILE_INVALID; MODULE_INVALID for a store that keeps its data, and for a `verify` that is none.
 */
export async function fromConfig(
  file: string,
  given: string | undefined,
  ports: readonly PortName[],
): Promise<Suite[]> {
  const config = await loadConfig(file, { samples: false });
  const makers = makersIn(file, (await importFile(file))['verify']);
  const flags = given === undefined ? '' : flagWords('config', given);
  const wanted = ports.filter((port) => makers[port] !== undefined || (isPlain(port) && config[port] !== undefined));
  const suites = wanted.map((port) => {
    const what = makers[port] === undefined ? `the config in ${file}` : `verify.${port} of ${file}`;
    const maker = makers[port] ?? (async () => (await loadConfig(file, { samples: false }))[port as PlainPort]);
    if (isPlain(port) && makers[port] === undefined) checkKeepsNothing(file, port, config);
    return ownSuite({ port, file, flags, what, maker });
  });
  // Those of the first load were only looked at.
  for (const port of ['queue', 'ledger', 'destinations'] as const) await config[port]?.close();
  return suites;
}

type Makers = { readonly [port in PortName]?: Maker };

function makersIn(file: string, exported: unknown): Makers {
  if (exported === undefined) return {};
  if (!isFields(exported))
    throw new SendonceError(
      'MODULE_INVALID',
      `${file}: verify must be { ${PORT_NAMES.join(', ')} }, each a function, got ${shown(exported)}`,
    );
  for (const [name, maker] of Object.entries(exported))
    if (!PORT_NAMES.some((port) => port === name) || !isMaker(maker))
      throw new SendonceError(
        'MODULE_INVALID',
        `${file}: verify.${name} is ${isMaker(maker) ? `none of ${PORT_NAMES.join(', ')}` : `${shown(maker)}, not a function that makes one`}`,
      );
  return exported;
}

/** @throws SendonceError MODULE_INVALID */
function checkKeepsNothing(file: string, port: PlainPort, config: NotifierConfig): void {
  if (config[port]?.capabilities.durable !== true) return;
  throw new SendonceError(
    'MODULE_INVALID',
    `${file}: its ${port} keeps what is written into it, and the laws write into a new, empty one each. Say in that file how one is made, ` +
      `\`export const verify = { ${port}: () => ... }\`, or name a module or an address: --${port} FILE|ADDRESS`,
  );
}

/** Those that say whether they keep what is written into them. */
type PlainPort = Extract<PortName, 'queue' | 'ledger'>;

function isPlain(port: PortName): port is PlainPort {
  return port === 'queue' || port === 'ledger';
}
