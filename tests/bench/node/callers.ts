/**
 * Many callers of one client at once, the same for every client in Node: each sum is checked, and one wrong one ends the run. Only types
 * that can be erased: the peers import this file as it is.
 */

/** Calls `add(a, b)` for `warm` seconds and then for `seconds`, `inFlight` at once; prints what was measured as one JSON object. */
export async function run(
  add: (a: number, b: number) => Promise<number>,
  inFlight: number,
  warm: number,
  seconds: number,
): Promise<void> {
  await add(1, 2);
  const start = performance.now() + warm * 1000;
  const end = start + seconds * 1000;
  const latencies: number[] = [];
  let cpu: NodeJS.CpuUsage | undefined;
  setTimeout(() => {
    // The CPU time is counted from the end of the warm-up.
    cpu = process.cpuUsage();
  }, warm * 1000);
  const loop = async (first: number): Promise<void> => {
    for (let number = first; ; number += 1) {
      const began = performance.now();
      if (began >= end) return;
      if ((await add(number, 1)) !== number + 1) throw new Error(`${number} + 1 was answered wrongly`);
      if (began >= start) latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, at) => loop(at * 1_000_000)));
  const taken = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  const count = latencies.length;
  latencies.sort((a, b) => a - b);
  const figures = {
    per_second: count / taken,
    cpu_us: (used.user + used.system) / Math.max(count, 1),
    p50_us: (latencies[count >> 1] ?? 0) * 1000,
    p99_us: (latencies[Math.floor((count * 99) / 100)] ?? 0) * 1000,
  };
  console.log(JSON.stringify(figures));
}
