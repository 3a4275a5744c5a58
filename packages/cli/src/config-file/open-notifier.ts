import { resolve } from 'node:path';
import {
  createNotifier,
  isSendonceError,
  SendonceError,
  type Notifier,
  type NotifierConfig,
  type Telemetry,
} from '@sendonce/core';
import { placeOfOption } from './place.ts';

/**
 * The notifier of a config that was loaded from `file`. Connects to nothing yet.
 * @throws SendonceError CONFIG_INVALID naming the file, and the line where it can be seen.
 */
export function openNotifier(file: string, config: NotifierConfig, telemetry: readonly Telemetry[] = []): Notifier {
  try {
    return createNotifier(telemetry.length === 0 ? config : { ...config, telemetry: sinks(config, telemetry) });
  } catch (error) {
    if (!isSendonceError(error, 'CONFIG_INVALID')) throw error;
    // The message begins with the names that lead to the option.
    const names = /^[\w$-]+(?:\.[\w$-]+)*/.exec(error.message)?.[0].split('.') ?? [];
    const place = placeOfOption(resolve(file), names);
    const where = place === null ? '' : `, at ${place}`;
    throw new SendonceError('CONFIG_INVALID', `${file}: ${error.message}${where}`, { cause: error });
  }
}

/** What is no list is left to `createNotifier`, which says so. */
function sinks({ telemetry = [] }: NotifierConfig, more: readonly Telemetry[]): readonly Telemetry[] {
  return Array.isArray(telemetry) ? [...(telemetry as readonly Telemetry[]), ...more] : telemetry;
}
