import { fingerprint, type Target } from '@sendonce/core';
import type { Connection } from './database.ts';

/** The recipients of a notification, page by page, as they were frozen. */
export interface Pages {
  /** Stores a page and drops those after it; answers how many pages and targets there are now. */
  store(
    notification: number,
    page: number,
    targets: readonly Target[],
  ): { readonly pages: number; readonly targets: number };
  /** None once it was dropped; undefined for a page that is not there or is not what was stored. */
  read(notification: number, page: number): readonly Target[] | undefined;
  has(notification: number, page: number, targets: readonly Target[]): boolean;
  drop(notification: number, page: number): void;
}

/** Stands in the place of targets that were expanded: anything else that is not what was stored is damage. */
const EXPANDED = 'expanded';

export function pages(connection: Connection): Pages {
  return {
    store(notification, page, targets) {
      const content = JSON.stringify(targets);
      connection.run('DELETE FROM sendonce_pages WHERE notification = ? AND page >= ?', notification, page);
      connection.run(
        'INSERT INTO sendonce_pages (notification, page, targets, fingerprint, content) VALUES (?, ?, ?, ?, ?)',
        notification,
        page,
        targets.length,
        fingerprint(content),
        content,
      );
      const sums = connection.get<{ pages: number; targets: number }>(
        'SELECT count(*) AS pages, sum(targets) AS targets FROM sendonce_pages WHERE notification = ?',
        notification,
      );
      return sums ?? { pages: 0, targets: 0 };
    },
    read(notification, page) {
      const row = connection.get<{ content: string; fingerprint: string }>(
        'SELECT content, fingerprint FROM sendonce_pages WHERE notification = ? AND page = ?',
        notification,
        page,
      );
      if (row === undefined) return undefined;
      if (row.content === EXPANDED) return [];
      return fingerprint(row.content) === row.fingerprint ? (JSON.parse(row.content) as Target[]) : undefined;
    },
    has(notification, page, targets) {
      const row = connection.get<{ fingerprint: string }>(
        'SELECT fingerprint FROM sendonce_pages WHERE notification = ? AND page = ?',
        notification,
        page,
      );
      return row?.fingerprint === fingerprint(JSON.stringify(targets));
    },
    // A copy of the file that is restored later has the page again, or the deliveries that were made of it: both were written at once.
    drop(notification, page) {
      connection.run(
        'UPDATE sendonce_pages SET content = ? WHERE notification = ? AND page = ?',
        EXPANDED,
        notification,
        page,
      );
    },
  };
}
