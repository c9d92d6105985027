#!/usr/bin/env bash
# Makes web/demo/sample.wav: three groups of spoken digits, synthesised by espeak-ng, 16 kHz mono s16.
# Needs espeak-ng and sox (Debian: apt-get install espeak-ng sox).
set -euo pipefail
cd "$(dirname "$0")/.."

text='three one four <break time="900ms"/> one five nine <break time="900ms"/> two six five'
espeak-ng -m -v en-us+f3 -s 130 -g 12 --stdout "<speak>$text</speak>" |
  sox -R -t wav - -r 16000 -c 1 -b 16 web/demo/sample.wav gain -3 pad 0.4 0.5
