// Keeps a processor busy until stdin ends. Stdin ends with the parent process, however that ends.
const atOnceMilliseconds = 20;

function work() {
  const end = performance.now() + atOnceMilliseconds;
  while (performance.now() < end);
  setImmediate(work);
}

console.log('busy');
process.stdin.resume().once('close', () => process.exit());
work();
