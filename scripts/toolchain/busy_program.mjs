// A program that keeps a processor busy until its stdin ends, which it does with whoever started it, however that ends.
const atOnceMilliseconds = 20;

function work() {
  const end = performance.now() + atOnceMilliseconds;
  while (performance.now() < end);
  setImmediate(work);
}

console.log('busy');
process.stdin.resume().once('close', () => process.exit());
work();
