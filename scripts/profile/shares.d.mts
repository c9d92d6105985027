interface Times {
  total: number;
  places: { place: string; ms: number }[];
  functions: { place: string; name: string; ms: number }[];
}
interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}
export function selfTimes(profile: Profile, places: Map<string, string>): Times;
export function outside(times: Times, expected: readonly string[]): number;
