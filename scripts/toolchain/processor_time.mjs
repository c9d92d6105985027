// The processor time that this process and the programs it ran have taken, and how busy the machine was.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Milliseconds of this process alone. */
export function processorClock() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Seconds of the children that have ended; 0 where there is no /proc. */
export function childrenSeconds() {
  try {
    // After the program's name, which may hold spaces, cutime and cstime are the fields 16 and 17, in ticks of 10 ms.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(13, 15);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return 0;
  }
}

/** Seconds of this process and of its children that have ended. */
export const processorSeconds = () => processorClock() / 1000 + childrenSeconds();

/** Seconds that the machine's processors have been busy since it started, and all that they could have been. */
export function machineSeconds() {
  const times = cpus().map((each) => each.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0) / 1000;
  const all = times.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0);
  return { busy: all / 1000 - idle, all: all / 1000 };
}
