// Our own icons, drawn on a grid of 16 with one line width. They are decoration: the control says its name.

import type { ReactElement, ReactNode } from "react";

export interface IconProps {
  size?: number;
  className?: string;
}

export type Icon = (props: IconProps) => ReactElement;

function icon(shape: ReactNode): Icon {
  return ({ size = 16, className }) => (
    <svg
      width={size}
      height={size}
      className={className}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {shape}
    </svg>
  );
}

export const IconPlay = icon(<path d="M5 3.2v9.6l7.6-4.8z" />);
export const IconStop = icon(<rect x="4" y="4" width="8" height="8" rx="1.2" />);
export const IconSearch = icon(<path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2" />);
export const IconPlus = icon(<path d="M8 3.2v9.6M3.2 8h9.6" />);
export const IconMinus = icon(<path d="M3.2 8h9.6" />);
export const IconClose = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const IconCheck = icon(<path d="m3 8.5 3.2 3.2L13 4.8" />);
export const IconChevronDown = icon(<path d="m4 6 4 4 4-4" />);
export const IconChevronRight = icon(<path d="m6 4 4 4-4 4" />);
export const IconChevronLeft = icon(<path d="m10 4-4 4 4 4" />);
export const IconChevronUp = icon(<path d="m4 10 4-4 4 4" />);
export const IconArrowUp = icon(<path d="M8 13V3M4 7l4-4 4 4" />);
export const IconArrowDown = icon(<path d="M8 3v10M4 9l4 4 4-4" />);
export const IconTrash = icon(<path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5" />);
export const IconCopy = icon(<path d="M6 5.5h7v8H6zM3 10.5v-8h7" />);
export const IconLink = icon(
  <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.8-.8" />,
);
export const IconDownload = icon(<path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.2h10" />);
export const IconUpload = icon(<path d="M8 10.5V3M4.8 6 8 2.8 11.2 6M3 13.2h10" />);
export const IconFullScreen = icon(<path d="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3" />);
export const IconFullScreenExit = icon(<path d="M6 3v3H3M13 6h-3V3M10 13v-3h3M3 10h3v3" />);
export const IconPopOut = icon(<path d="M9 3h4v4M13 3 7.5 8.5M11.5 9.5V13H3V4.5h3.5" />);
export const IconSun = icon(
  <path d="M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1" />,
);
export const IconMoon = icon(<path d="M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z" />);
export const IconScreen = icon(<path d="M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13" />);
export const IconCommand = icon(
  <path d="M6 6h4v4H6zM6 6H4.6A1.6 1.6 0 1 1 6 4.6zM10 6h1.4A1.6 1.6 0 1 0 10 4.6zM6 10H4.6A1.6 1.6 0 1 0 6 11.4zM10 10h1.4a1.6 1.6 0 1 1-1.4 1.4z" />,
);
export const IconServer = icon(<path d="M3 3h10v4H3zM3 9h10v4H3zM5.3 5h.01M5.3 11h.01" />);
export const IconTool = icon(
  <path
    d="M9.8 6.2a3.2 3.2 0 0 0 4-4l-2 2-1.6-.4-.4-1.6 2-2a3.2 3.2 0 0 0-4.2 4.2L2.8 9.2a1.6 1.6 0 1 0 2.3 2.3z"
    transform="translate(-.4 1.6)"
  />,
);
export const IconFile = icon(<path d="M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5" />);
export const IconImage = icon(<path d="M2.5 3h11v10h-11zM2.5 11l3.2-3.4 2.6 2.6 1.8-1.6 3.4 3.2M10.2 6.2h.01" />);
export const IconTable = icon(<path d="M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 3v10" />);
export const IconCode = icon(<path d="M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5" />);
export const IconBraces = icon(
  <path d="M6 2.5c-2 0-2 1-2 2.2S4 7.4 2.5 8C4 8.6 4 9.8 4 11.300s0 2.2 2 2.200M10 2.500c2 0 2 1 2 2.200S12 7.4 13.5 8c-1.5.6-1.5 1.8-1.5 3.300s0 2.2-2 2.2" />,
);
export const IconAudio = icon(
  <path d="M6 12V3.500l7-1V11M6 12a1.8 1.8 0 1 1-3.6 0A1.8 1.8 0 0 1 6 12zM13 11a1.8 1.8 0 1 1-3.6 0A1.8 1.8 0 0 1 13 11z" />,
);
export const IconVideo = icon(<path d="M2.5 4h7.500v8H2.500zM10 7l3.5-2v6L10 9z" />);
export const IconClock = icon(<path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.800V8l2.2 1.6" />);
export const IconStar = icon(<path d="m8 2.2 1.8 3.7 4 .6-2.9 2.8.7 4L8 11.400l-3.6 1.9.7-4L2.2 6.500l4-.6z" />);
export const IconWarning = icon(<path d="M8 2.5 14 13H2zM8 6.500v3M8 11.300h.01" />);
export const IconInfo = icon(<path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.500v3.300M8 5.200h.01" />);
export const IconQuestion = icon(
  <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.300A1.7 1.7 0 1 1 8.6 8c-.4.2-.6.5-.6 1M8 11.200h.01" />,
);
export const IconUser = icon(
  <path d="M8 8a2.6 2.6 0 1 0 0-5.200A2.6 2.6 0 0 0 8 8zM3 13.500c.5-2.3 2.4-3.5 5-3.500s4.5 1.2 5 3.5" />,
);
export const IconMenu = icon(<path d="M2.5 4.500h11M2.5 8h11M2.5 11.500h11" />);
export const IconMore = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />);
export const IconPanelLeft = icon(<path d="M2.5 3h11v10h-11zM6.5 3v10" />);
export const IconPanelRight = icon(<path d="M2.5 3h11v10h-11zM9.5 3v10" />);
export const IconColumns = icon(<path d="M2.5 3h11v10h-11zM8 3v10" />);
export const IconRefresh = icon(<path d="M13 8a5 5 0 1 1-1.6-3.700M13 2.500v3h-3" />);
export const IconPin = icon(<path d="M6 2.500h4M6.5 2.500v4L4.5 9h7l-2-2.500v-4M8 9v5" />);
export const IconDiff = icon(<path d="M8 3v5M5.5 5.500h5M5.5 12h5" />);
export const IconSessions = icon(<path d="M2.5 4.500h8v8h-8zM5.5 4.500v-2h8v8h-3" />);
export const IconExternal = IconPopOut;
export const IconKeyboard = icon(
  <path d="M1.8 4h12.400v8H1.800zM4.5 6.800h.01M7 6.800h.01M9.5 6.800h.01M12 6.800h.01M5 9.500h6" />,
);
export const IconSignOut = icon(<path d="M9.5 3H3.500v10h6M7 8h7M11.5 5.5 14 8l-2.5 2.5" />);
