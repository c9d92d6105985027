/** The fixture, from beside this script. */
export async function readFixture(): Promise<Blob> {
  const url = new URL('./digits.wav', import.meta.url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: status ${response.status}`);
  return response.blob();
}
