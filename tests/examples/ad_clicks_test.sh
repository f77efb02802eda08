#!/bin/sh
# As its page says, but on a free port: other programs use 9999, and other builds' tests run.
set -eu

port=$(perl -MIO::Socket::INET -e '
  print IO::Socket::INET->new(LocalAddr => "localhost", Listen => 1)->sockport()')
rm -rf examples
mkdir -p examples
cp -RL "$1/examples/ad_clicks" examples
for file in job.sql send_clicks.pl; do
  sed "s/9999/$port/" "$1/examples/ad_clicks/$file" >examples/ad_clicks/$file
done
exec sh "$2/page_test.sh" examples/ad_clicks/README.md
