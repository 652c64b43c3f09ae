// The mark: several lines that become one.

import type { ReactElement } from "react";

export function Mark({ size = 20 }: { size?: number }): ReactElement {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="var(--accent)"
      strokeWidth="1.8"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M2.5 4c5 0 5 6 9.5 6M2.5 10h9M2.5 16c5 0 5-6 9.5-6" opacity="0.55" />
      <path d="M11.5 10h5.500M14.5 7.5 17 10l-2.5 2.5" strokeLinejoin="round" />
    </svg>
  );
}
