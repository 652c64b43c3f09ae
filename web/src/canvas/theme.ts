// Whether the page is light or dark now, for frames that cannot see its style sheet.

import { useEffect, useState } from "react";
import { preferences } from "../state/preferences";
import { useStore } from "../state/store";

export function useTheme(): "light" | "dark" {
  const theme = useStore(preferences, (state) => state.theme);
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const list = matchMedia("(prefers-color-scheme: dark)");
    const onChange = (): void => setDark(list.matches);
    list.addEventListener("change", onChange);
    return () => list.removeEventListener("change", onChange);
  }, []);
  return theme === "system" ? (isDark ? "dark" : "light") : theme;
}
