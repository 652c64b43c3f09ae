// Numbers, sizes and times for people.

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function bytes(count: number): string {
  let unit = 0;
  let value = count;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  if (unit === 0) return count === 1 ? "1 byte" : `${count} bytes`;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

export function number(value: number): string {
  return value.toLocaleString("en");
}

/** `one` with its number, or the plural. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

export function duration(ms: number): string {
  if (ms < 1) return "under 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago, in one word or two. */
export function ago(time: string | number | Date, now = Date.now()): string {
  const ms = now - new Date(time).getTime();
  if (Number.isNaN(ms)) return "";
  if (ms < 45_000) return "just now";
  if (ms < 3_600_000) return `${Math.max(1, Math.round(ms / 60_000))} min ago`;
  if (ms < 86_400_000) return `${Math.round(ms / 3_600_000)} h ago`;
  if (ms < 7 * 86_400_000) return counted(Math.round(ms / 86_400_000), "day") + " ago";
  return new Date(time).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

/** A time of day for today, else the day too. */
export function clock(time: string | number | Date, now = new Date()): string {
  const date = new Date(time);
  const day =
    date.toDateString() === now.toDateString()
      ? ""
      : `${date.toLocaleDateString("en", { day: "numeric", month: "short" })} `;
  return day + date.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

export async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
