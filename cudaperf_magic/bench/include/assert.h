#pragma once
/* assert is built into NVRTC. */
