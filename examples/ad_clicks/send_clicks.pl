#!/usr/bin/perl
# Waits for one connection on port 9999 of this machine, sends clicks.json line by line and closes it.
use strict;
use warnings;
use File::Basename;
use IO::Socket::INET;

my $port = 9999;
open(my $clicks, '<', dirname(__FILE__) . '/clicks.json') or die "clicks.json: $!\n";
my $server = IO::Socket::INET->new(
    LocalAddr => 'localhost', LocalPort => $port, Listen => 1, ReuseAddr => 1)
  or die "port $port: $@\n";
my $connection = $server->accept() or die "accept: $!\n";
print $connection $_ while <$clicks>;
close($connection) or die "send: $!\n";
