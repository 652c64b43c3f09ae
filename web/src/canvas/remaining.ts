// How long until something ends, in words that fit a countdown.

export function remaining(end: string, now: number): string {
  const seconds = Math.floor((Date.parse(end) - now) / 1000);
  if (Number.isNaN(seconds)) return "no end";
  if (seconds <= 0) return "over";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, "0")} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
