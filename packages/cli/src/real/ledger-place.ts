/** Where the ledger of a real run is. */
export interface LedgerPlace {
  /** As the processes of the run open it. Holds no password. */
  readonly address: string;
  /** Takes away what the run made there. A second call does nothing. */
  remove(): Promise<void>;
}
