// Text from the server, with its progress.

/**
 * @param {string} address
 * @param {(part: number) => void} report
 * @returns {Promise<string>}
 */
export async function fetchText(address, report) {
  const response = await fetch(address).catch((error) => {
    throw new Error(`${address} could not be fetched (${error.message})`);
  });
  if (!response.ok || response.body === null) {
    throw new Error(
      `${address} could not be fetched: the server answered ${response.status} ${response.statusText}`,
    );
  }
  const length = Number(response.headers.get('content-length')) || 0;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  let received = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    received += value.length;
    text += decoder.decode(value, { stream: true });
    if (length > 0) report(Math.min(1, received / length));
  }
}
