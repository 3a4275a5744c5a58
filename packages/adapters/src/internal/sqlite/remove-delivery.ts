import type { DeliveryRecord } from '@sendonce/core';
import { learnedMessages, type Ref } from '@sendonce/core/records';
import type { Connection } from './database.ts';

/** Its row, with all that belongs to it. By their names: there is no index from a delivery to the messages that are its. */
export function removeDelivery(connection: Connection, ref: Ref, { attempts }: Pick<DeliveryRecord, 'attempts'>): void {
  for (const key of learnedMessages(null, { attempts }))
    connection.run('DELETE FROM sendonce_provider_messages WHERE key = ? AND delivery = ?', key, ref);
  connection.run('DELETE FROM sendonce_contents WHERE delivery = ?', ref);
  connection.run('DELETE FROM sendonce_deliveries WHERE seq = ?', ref);
}
