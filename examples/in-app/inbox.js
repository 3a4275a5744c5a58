// #region client
/**
 * An inbox as a page shows it: calls `show({ messages, unread })` whenever something has changed. Server-sent events come at least once, so
 * messages are kept by their id, and of two copies the newer one.
 */
export async function openInbox(show, path = '/inbox') {
  const messages = new Map();
  let unread = 0;

  const take = (message) => {
    const known = messages.get(message.id);
    if (known === undefined || known.change < message.change) messages.set(message.id, message);
  };
  const render = () =>
    show({ messages: [...messages.values()].filter((message) => message.archivedAt === null), unread });

  async function list() {
    const page = await (await fetch(path)).json();
    messages.clear();
    page.messages.forEach(take);
    unread = page.unread;
    render();
    return page.since;
  }

  async function post(action, body) {
    // The type is what tells this page's requests from those of other sites.
    await fetch(`${path}/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  // From the moment of the list on, so that nothing is missed between the two.
  const live = new EventSource(`${path}/live?since=${await list()}`);
  live.addEventListener('message', ({ data }) => {
    take(JSON.parse(data));
    render();
  });
  live.addEventListener('unread', ({ data }) => {
    unread = JSON.parse(data).unread;
    render();
  });
  // Messages were removed, or too many were missed: begin again.
  live.addEventListener('reset', list);

  return {
    read: (...ids) => post('read', { ids }),
    archive: (...ids) => post('archive', { ids }),
    close: () => live.close(),
  };
}
// #endregion
