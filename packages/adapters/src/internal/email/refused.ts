/** Content that can never be sent; its message says why, without the content. */
export class Refused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Refused';
  }
}
